import { type Approval, recordOf } from '../../run/call-record.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { ownTool, type ToolCall } from '../../tools/tool.ts'
import type { StepOutput } from '../output/step-output.ts'
import { answerCalls } from './answer-calls.ts'
import { rebuildPrompt, withoutSystem } from './call-prompt.ts'
import { CallQueue } from './call-queue.ts'
import { decideCalls } from './decide-calls.ts'
import { executeCalls } from './execute-calls.ts'
import type { processToolResult } from './process-tool-result.ts'
import type { Round } from './round.ts'

/**
 * Answers every call of a step: decides on all of them, executes the allowed calls in parallel, and answers the
 * others itself. Answers are emitted in the order of the calls, one for each call.
 */
export async function runTools(run: Run, step: Step, output: StepOutput): Promise<void> {
  let calls = ownCalls(step.state)
  const messages = withoutSystem(step.modelRequest?.prompt ?? (await rebuildPrompt(run, step)))
  const isUndecided = calls.every(({ toolCallId }) => recordOf(step.state, toolCallId).decision === undefined)
  if (run.journal && run.pipeline.processToolCall && isUndecided && !run.resumption)
    await run.journal.reach(step, 'processToolCall')
  await decideCalls(run, step, calls) //                           processToolCall
  if (needsApproval(run, step, calls)) {
    // Loaded on demand: few tools need approval.
    await (await import('./await-approvals.ts')).awaitApprovals(run, step, { messages })
    // An approver may have changed the input of a call.
    calls = ownCalls(step.state)
  }
  const { toolConcurrency } = run.settings
  const queue =
    calls.length > toolConcurrency ? new CallQueue(toolConcurrency, step.state.answered) : undefined
  const round: Round = { ended: undefined, review: await loadReview(run), queue }
  const reached = run.journal?.reach(step, 'execute')
  if (reached) await reached
  const answers = executeCalls(run, step, { calls, messages, output, round })
  await answerCalls(run, step, { calls, answers, output, round }) // processToolResult
}

/** Loads the review before any call executes, so that an outcome never waits for the import. */
function loadReview({ pipeline }: Run): Promise<typeof processToolResult> | undefined {
  if (pipeline.processToolResult === null) return undefined
  return import('./process-tool-result.ts').then(({ processToolResult }) => processToolResult)
}

/** Grants the calls for which nobody asks. Returns whether the agent, a tool or a processor asks for others. */
function needsApproval(run: Run, { tools, state }: Step, calls: readonly ToolCall[]): boolean {
  if (run.settings.toolApproval !== undefined) return true
  const asks = calls.filter(({ toolCallId, toolName }) => {
    const record = recordOf(state, toolCallId)
    if (record.approval) return record.approval.status !== 'granted'
    if (ownTool(tools, toolName)?.needsApproval) return true
    record.approval = GRANTED
    return false
  })
  return asks.length > 0
}

/** Shared: an approval is replaced, never changed. */
const GRANTED: Approval = Object.freeze({ status: 'granted' })
