import type { PromptMessages } from '../../messages/model-message.ts'
import { clientCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { InterruptedCallState } from '../../run/step-state.ts'
import { Suspend } from '../../signals.ts'
import type { Answer, Decision } from '../../tools/decision.ts'
import type { ToolInterruptedPayload, ToolOutputPayload } from '../../tools/suspension-payload.ts'
import type { ToolCall } from '../../tools/tool.ts'
import type { StepOutput } from '../output/step-output.ts'
import { decodeResumeData } from '../suspension/stored-data.ts'
import { type ExecuteCallOptions, executeCall } from './execute-call.ts'
import { type Round, throwIfEnded } from './round.ts'

export interface ExecuteOptions {
  calls: readonly ToolCall[]
  messages: () => PromptMessages
  output: StepOutput
  round: Round
}

/** Starts all calls that are not yet executed. A call that has to wait resolves to a `Suspend` with the reason. */
export function executeCalls(
  run: Run,
  step: Step,
  { calls, messages, output, round }: ExecuteOptions,
): Promise<Answer | Suspend>[] {
  const { state } = step
  const resumption = run.resumption?.point.phase === 'execute' ? run.resumption : undefined
  const suspendedCall = resumption?.point.toolCallId
  const clients = clientCalls(step, calls)
  return calls.map(async (call, index) => {
    const { toolCallId } = call
    const decision = state.decisions[index] as Decision
    const known = knownOutcome(toolCallId, decision)
    if (known) {
      round.queue?.finish(index)
      return known
    }
    const { input } = decision as Extract<Decision, { kind: 'execute' }>
    const interrupted = state.interrupted[toolCallId]
    const resumed = interrupted
      ? resumedBefore(interrupted)
      : toolCallId === suspendedCall
        ? resumption
        : undefined
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
    // The interrupted call was executed again and suspends again: the data of the next resume is for this suspension.
    if (Suspend.isInstance(outcome)) {
      delete state.interrupted[toolCallId]
      state.suspended[toolCallId] = { payload: outcome.payload }
    } else state.answers[toolCallId] = outcome
    return outcome
  })

  /** The outcome of a call that is not executed, or not executed again. */
  function knownOutcome(toolCallId: string, decision: Decision): Answer | Suspend | undefined {
    if (isToExecute(run, step, { toolCallId, decision })) return undefined
    const known = state.answers[toolCallId]
    if (known) return known
    if (state.interrupted[toolCallId]?.answer === 'open') return waitForAnswers()
    const waiting = state.suspended[toolCallId]
    if (waiting && toolCallId !== suspendedCall) return suspension(toolCallId, waiting.payload)
    if (decision.kind === 'client') return waitForClient(clients)
    if (decision.kind === 'answer') state.answers[toolCallId] = decision.answer
    return state.answers[toolCallId]
  }

  /** Suspends until the run is resumed with the outcomes of the interrupted calls. */
  function waitForAnswers(): Suspend {
    const toolCalls = calls.flatMap(({ toolCallId, toolName }, index) => {
      const { input } = state.decisions[index] as { input?: unknown }
      const { answer, executed } = state.interrupted[toolCallId] ?? {}
      return answer === 'open' ? [{ toolCallId, toolName, input, ...(executed && { executed }) }] : []
    })
    return new Suspend({ type: 'tool-interrupted', toolCalls } satisfies ToolInterruptedPayload)
  }

  function observed(call: ToolCall, work: () => Promise<Answer | Suspend>): Promise<Answer | Suspend> {
    const { trace, events } = run
    const execute = trace ? () => trace.executeTool(step, call, work) : work
    return events ? events.executeTool(step, call, execute) : execute()
  }
}

/** Whether a decided call is executed now: it has no answer and does not wait. */
export function isToExecute(
  { resumption }: Run,
  { state }: Step,
  { toolCallId, decision }: { toolCallId: string; decision: Decision | undefined },
): boolean {
  if (decision?.kind !== 'execute' || state.answers[toolCallId]) return false
  if (state.interrupted[toolCallId]?.answer === 'open') return false
  const isResumed = resumption?.point.phase === 'execute' && resumption.point.toolCallId === toolCallId
  return isResumed || state.suspended[toolCallId] === undefined
}

/** If an interrupted call had suspended and been resumed before: the data it was resumed with. */
function resumedBefore({ resumed }: InterruptedCallState): ExecuteCallOptions['resumed'] {
  return resumed && { data: decodeResumeData(resumed.data), payload: resumed.payload }
}

/** The suspension of a call that still waits, because the run was resumed for another call. */
function suspension(toolCallId: string, payload: unknown): Suspend {
  const signal = new Suspend(payload)
  signal.toolCallId = toolCallId
  return signal
}

function waitForClient(waiting: readonly ToolCall[]): Suspend {
  const toolCalls = waiting.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input }))
  return new Suspend({ type: 'tool-output', toolCalls } satisfies ToolOutputPayload)
}
