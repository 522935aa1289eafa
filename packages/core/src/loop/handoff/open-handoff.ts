import { withComputed } from '../../computed-property.ts'
import { MillraceError } from '../../errors.ts'
import { handoffOf } from '../../results/handoff-target.ts'
import type { HandoffState, LiveHandoff } from '../../run/handoff.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { rebuildPrompt, withoutSystem } from '../tools/call-prompt.ts'
import { cross } from '../tools/crossing.ts'
import { executionOptions } from '../tools/execution-options.ts'
import { prepareCall } from '../tools/prepare-call.ts'

/**
 * Starts the run of the agent that has the turn, or resumes it with the data that this run was resumed with. The
 * agent's input passes `processExecution`, as a tool's does.
 */
export async function openHandoff(run: Run, handoff: HandoffState): Promise<LiveHandoff> {
  const step = run.steps.find(({ number }) => number === handoff.stepNumber) as Step
  const call = ownCalls(step.state).find(({ toolCallId }) => toolCallId === handoff.toolCallId)
  const decision = step.state.calls[handoff.toolCallId]?.decision
  if (!call || decision?.kind !== 'execute') throw handoffError(handoff, 'There is no such call.')
  const prepared = await prepareCall(run, step, { ...call, input: decision.input })
  if ('error' in prepared) throw handoffError(handoff, prepared.error)
  const { tool, input, kept } = prepared
  const target = handoffOf(tool)
  if (!target) throw handoffError(handoff, `The tool '${call.toolName}' does not hand off to an agent.`)
  const toolCall = { ...call, input: kept }
  const suspendPayload =
    handoff.waiting &&
    (await cross(run, step, { toolCall, tool, direction: 'in', value: handoff.waiting, isPayload: true }))
  run.throwIfOver()
  const messages = withoutSystem(await rebuildPrompt(run, step))
  const execution = executionOptions(run, call, {
    messages,
    abortSignal: run.signal,
    resumeData: run.resumption?.data,
    suspendPayload,
  })
  const opened = await target.open(input, execution, run.settings.structuredOutput?.schema)
  handoff.waiting = undefined
  const live = {
    agentName: target.agentName,
    chunks: opened.fullStream[Symbol.asyncIterator]() as LiveHandoff['chunks'],
    origin: { step, toolCall, tool },
    isCounted: false,
    agentStep: undefined,
    pending: undefined,
    replacement: undefined,
    waitsForReview: () => opened.waitsForReview !== false,
  }
  return withComputed(live, 'result', () => opened.result)
}

function handoffError({ toolCallId }: HandoffState, why: string): MillraceError {
  return new MillraceError(
    'RUN_FAILED',
    `The call '${toolCallId}' can no longer hand off the turn: ${why} Do not change its tool, or processors that change its input, until the turn has ended.`,
  )
}
