import { messageOf } from '../../errors.ts'
import { requireDepth } from '../../results/agent-depth.ts'
import type { HandoffTarget } from '../../results/handoff-target.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Answer } from '../../tools/decision.ts'
import type { ToolCall } from '../../tools/tool.ts'

/** Answers a call that hands off the turn. The agent itself runs after the step, in place of the model. */
export async function acceptHandoff(
  run: Run,
  { state }: Step,
  { call, target }: { call: ToolCall; target: HandoffTarget },
): Promise<Answer> {
  const { toolCallId, toolName } = call
  if (state.handoff !== undefined && state.handoff !== toolCallId) {
    return {
      status: 'error',
      error: `The call of '${toolName}' was not executed: another call of this step already hands off. Hand off to one agent at a time.`,
    }
  }
  try {
    requireDepth(target, run.requestContext.agentPath)
  } catch (error) {
    return { status: 'error', error: messageOf(error) }
  }
  state.handoff = toolCallId
  await run.journal?.startTurn(call)
  return { status: 'success', output: `Handed off to the agent '${target.agentName}', who answers next.` }
}
