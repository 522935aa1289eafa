import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { isThenable } from '../../schema.ts'
import type { Decision } from '../../tools/decision.ts'
import type { Tool, ToolCall } from '../../tools/tool.ts'
import { prepareCall } from './prepare-call.ts'

/**
 * Decides for each call of a step, in order, whether it is executed. No call executes before all are decided.
 * Decisions from before a suspension are kept.
 */
export async function decideCalls(run: Run, step: Step, calls: readonly ToolCall[]): Promise<void> {
  for (let index = step.state.decisions.length; index < calls.length; index++) {
    const toolCall = calls[index] as ToolCall
    const preparing = prepareCall(run, step, toolCall)
    const prepared = isThenable(preparing) ? await preparing : preparing
    if ('error' in prepared) step.state.decisions.push(answer(prepared.error))
    else if (run.pipeline.processToolCall === null) {
      step.state.decisions.push(execution(prepared.tool, toolCall.input))
    } else step.state.decisions.push(await decide(run, step, { toolCall, tool: prepared.tool }))
  }
}

async function decide(
  run: Run,
  step: Step,
  { toolCall, tool }: { toolCall: ToolCall; tool: Tool },
): Promise<Decision> {
  const { processToolCall } = await import('./process-tool-call.ts')
  const decided = await processToolCall(run, step, { toolCall, tool })
  if ('kind' in decided) return decided
  if (decided.input === toolCall.input) return execution(tool, toolCall.input)
  const again = await prepareCall(run, step, { ...toolCall, input: decided.input })
  return 'error' in again ? answer(again.error) : execution(tool, decided.input)
}

function execution(tool: Tool, input: unknown): Decision {
  return { kind: tool.execute ? 'execute' : 'client', input, approval: 'open' }
}

function answer(error: string): Decision {
  return { kind: 'answer', answer: { status: 'error', error } }
}
