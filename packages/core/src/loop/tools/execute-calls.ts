import type { PromptMessages } from '../../messages/model-message.ts'
import { type CallRecord, recordOf } from '../../run/call-record.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { Suspend } from '../../signals.ts'
import type { Answer, Decision } from '../../tools/decision.ts'
import type { ToolCall } from '../../tools/tool.ts'
import type { StepOutput } from '../output/step-output.ts'
import { type ExecuteCallOptions, executeCall } from './execute-call.ts'
import { type Round, throwIfEnded } from './round.ts'

export interface ExecuteOptions {
  calls: readonly ToolCall[]
  messages: () => PromptMessages
  output: StepOutput
  round: Round
}

/** Starts all calls that are not yet executed. A call that has to wait resolves to a `Suspend`. */
export function executeCalls(
  run: Run,
  step: Step,
  { calls, messages, output, round }: ExecuteOptions,
): Promise<Answer | Suspend>[] {
  return calls.map(async (call, index) => {
    const record = recordOf(step.state, call.toolCallId)
    if (!isToExecute(record)) {
      round.queue?.finish(index)
      return knownOutcome(record)
    }
    const { input } = record.decision as Extract<Decision, { kind: 'execute' }>
    const resumed = resumedWith(record)
    const execute = (): Promise<Answer | Suspend> => {
      throwIfEnded(run, round)
      return observed(call, () => executeCall(run, step, { call, input, resumed, messages, output, round }))
    }
    const outcome = await (round.queue ? round.queue.run(index, async () => execute()) : execute())
    // Also if the run has ended meanwhile. Answers that processors have not reviewed are not stored.
    if (run.journal) {
      if (round.review === undefined || Suspend.isInstance(outcome))
        await run.journal.finishCall(call, outcome)
      else if (outcome.status !== 'denied') void run.journal.endCall(call, outcome.status)
    }
    if (round.ended !== undefined) throw round.ended
    // What an interrupted call was resumed with is used up: the next answer is for this suspension.
    delete record.interrupted
    if (Suspend.isInstance(outcome)) record.suspended = { payload: outcome.payload }
    else record.outcome = outcome
    return outcome
  })

  function observed(call: ToolCall, work: () => Promise<Answer | Suspend>): Promise<Answer | Suspend> {
    const { trace, events } = run
    const execute = trace ? () => trace.executeTool(step, call, work) : work
    return events ? events.executeTool(step, call, execute) : execute()
  }
}

/** Whether a decided call is executed now: it has no outcome and does not wait. */
export function isToExecute({ decision, outcome, interrupted, suspended }: CallRecord): boolean {
  if (decision?.kind !== 'execute' || outcome) return false
  if (interrupted) return interrupted.answer === 'retry'
  return suspended === undefined || suspended.answer !== undefined
}

/** The outcome of a call that is not executed, or not executed again. */
function knownOutcome(record: CallRecord): Answer | Suspend {
  if (record.decision?.kind === 'answer') record.outcome ??= record.decision.answer
  return record.outcome ?? new Suspend()
}

/** The answer to a tool that has suspended. `data` is missing if it was not stored. */
function resumedWith({ interrupted, suspended }: CallRecord): ExecuteCallOptions['resumed'] {
  if (interrupted?.resumed) return interrupted.resumed
  return suspended?.answer && { ...suspended.answer, payload: suspended.payload }
}
