import { recordOf } from '../../run/call-record.ts'
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
  for (const toolCall of calls) {
    const record = recordOf(step.state, toolCall.toolCallId)
    if (record.decision) continue
    const deciding = decideCall(run, step, toolCall)
    record.decision = isThenable(deciding) ? await deciding : deciding
  }
}

/** Decides on one call: validates its input, and passes it to the processors. */
export function decideCall(run: Run, step: Step, toolCall: ToolCall): Decision | Promise<Decision> {
  const preparing = prepareCall(run, step, toolCall)
  return isThenable(preparing)
    ? preparing.then((prepared) => decide(run, step, { toolCall, prepared }))
    : decide(run, step, { toolCall, prepared: preparing })
}

function decide(
  run: Run,
  step: Step,
  { toolCall, prepared }: { toolCall: ToolCall; prepared: Awaited<ReturnType<typeof prepareCall>> },
): Decision | Promise<Decision> {
  if ('error' in prepared) return answer(prepared.error)
  const { tool } = prepared
  return run.pipeline.processToolCall === null
    ? execution(tool, toolCall.input)
    : askProcessors(run, step, { toolCall, tool })
}

async function askProcessors(
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
  return { kind: tool.execute ? 'execute' : 'client', input }
}

function answer(error: string): Decision {
  return { kind: 'answer', answer: { status: 'error', error } }
}
