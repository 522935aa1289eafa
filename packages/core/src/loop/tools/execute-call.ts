import { copyData } from '../../copy-data.ts'
import { MillraceError, messageOf } from '../../errors.ts'
import { outputJson, payloadJson } from '../../messages/json-output.ts'
import type { PromptMessages } from '../../messages/model-message.ts'
import { handoffOf } from '../../results/handoff-target.ts'
import { recordOf } from '../../run/call-record.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { isThenable } from '../../schema.ts'
import { readSignal, Suspend } from '../../signals.ts'
import { withReporter } from '../../tools/agent-progress.ts'
import type { Answer } from '../../tools/decision.ts'
import type { ToolCall, ToolExecutionOptions } from '../../tools/tool.ts'
import type { StepOutput } from '../output/step-output.ts'
import { AgentReports } from './agent-reports.ts'
import { answerChunk } from './answer-chunk.ts'
import { cross } from './crossing.ts'
import { executionOptions } from './execution-options.ts'
import { prepareCall } from './prepare-call.ts'
import { type Round, throwIfEnded } from './round.ts'
import { ThrownByTool, ToolAttempt } from './tool-attempt.ts'

export interface ExecuteCallOptions {
  call: ToolCall
  /** The input as the processors left it. */
  input: unknown
  /** If the call had suspended: the data that the run is resumed with, and the call's payload. */
  resumed: { data?: unknown; payload?: unknown } | undefined
  /** The prompt of the step. */
  messages: () => PromptMessages
  output: StepOutput
  round: Round
}

/**
 * Executes a call. An error of the tool becomes the answer, which the model sees. An error of a processor, on the
 * input or the output, is thrown.
 */
export async function executeCall(
  run: Run,
  step: Step,
  options: ExecuteCallOptions,
): Promise<Answer | Suspend> {
  const { call, resumed, messages, output, round } = options
  // Starts synchronously if possible: after an `await` an earlier call could have an outcome that must be processed
  // first.
  const preparing = prepareCall(run, step, { ...call, input: options.input })
  const prepared = isThenable(preparing) ? await preparing : preparing
  if ('error' in prepared) return { status: 'error', error: prepared.error }
  const { tool, input, kept } = prepared
  const crossing = { toolCall: { ...call, input: kept }, tool }
  const suspendPayload =
    resumed &&
    (await cross(run, step, { ...crossing, direction: 'in', value: resumed.payload, isPayload: true }))
  throwIfEnded(run, round)
  if (kept !== call.input) recordOf(step.state, call.toolCallId).executed = { input: kept }
  const target = handoffOf(tool)
  if (target) {
    const { acceptHandoff } = await import('../handoff/accept-handoff.ts')
    return acceptHandoff(run, step, { call: { ...call, input: kept }, target })
  }
  step.state.toolsRan = true
  step.started.set(call.toolCallId, false)
  if (run.journal) {
    await run.journal.startCall({ ...call, input: kept })
    throwIfEnded(run, round)
  }

  const reports = new AgentReports(run, step, {
    toolCallId: call.toolCallId,
    round,
    emit: async (value) => emitPreliminary(await filterOutput(value)),
  })
  for (let isFirst = true; ; isFirst = false) {
    const attempt = new ToolAttempt(run, call.toolName)
    try {
      const output = await execute(attempt, { isFirst })
      reports.throwRefusal()
      return { status: 'success', output }
    } catch (error) {
      reports.throwRefusal()
      if (!(error instanceof ThrownByTool)) throw error
      step.started.set(call.toolCallId, true)
      throwIfEnded(run, round)
      if (!(await isRetried(error.thrown))) return failure(error.thrown)
      throwIfEnded(run, round)
    } finally {
      attempt.end()
    }
  }

  /** Runs the tool once. Returns its output after the processors. */
  async function execute(attempt: ToolAttempt, { isFirst }: { isFirst: boolean }): Promise<unknown> {
    const context = contextOf(attempt)
    if (isFirst && !resumed) {
      if (tool.onInputStart) await attempt.run(() => tool.onInputStart?.(context))
      if (tool.onInputAvailable) await attempt.run(() => tool.onInputAvailable?.({ ...context, input }))
      throwIfEnded(run, round)
    }
    // Copies the input: the transcript keeps what the model sent, and a retry must not see what the tool has changed.
    const isKept = input === call.input || tool.retryable !== undefined
    const returned = attempt.run(() => tool.execute?.(isKept ? copyData(input) : input, context))
    if (!isAsyncIterable(returned)) {
      const value = await returned
      step.started.set(call.toolCallId, true)
      return filterOutput(toOutput(call, value))
    }
    let last: unknown
    for await (const value of attempt.each(returned)) {
      throwIfEnded(run, round)
      last = await filterOutput(toOutput(call, value))
      await emitPreliminary(last)
    }
    return last
  }

  function contextOf(attempt: ToolAttempt): ToolExecutionOptions {
    const execution = executionOptions(run, call, {
      messages,
      abortSignal: attempt.signal,
      resumeData: resumed?.data,
      suspendPayload,
    })
    return withReporter(execution, reports.reporterFor(attempt))
  }

  async function isRetried(error: unknown): Promise<boolean> {
    if (tool.retryable === undefined) return false
    // Loaded on demand: few tools are retryable, and few calls fail.
    const { awaitRetry } = await import('./await-retry.ts')
    return awaitRetry(run, step, { call, tool, error })
  }

  /** The answer for an error that a tool threw, or the signal with which it ends the run. */
  async function failure(thrown: unknown): Promise<Answer | Suspend> {
    const read = readSignal(thrown)
    if (!read) {
      reports.fail()
      return { status: 'error', error: String(await filterOutput(messageOf(thrown))) }
    }
    const signal = Suspend.isInstance(read)
      ? new Suspend(await filterOutput(payloadJson(read.payload), { isPayload: true }))
      : read
    signal.toolCallId = call.toolCallId
    if (Suspend.isInstance(signal)) return signal
    round.ended = signal
    throw signal
  }

  /** Passes a tool's output through the processors. Nothing is stored before. */
  function filterOutput(value: unknown, { isPayload = false } = {}): unknown {
    return cross(run, step, { ...crossing, direction: 'out', value, isPayload })
  }

  /** Emits a preliminary result. Returns what was emitted, if anything. */
  async function emitPreliminary(value: unknown): Promise<unknown> {
    const answer: Answer = { status: 'success', output: value }
    const shown = await round
      .review?.(run, step, { toolCall: call, answer, preliminary: true })
      .catch(refuseSuspend)
    throwIfEnded(run, round)
    const chunk = answerChunk(call, shown ?? answer)
    if (chunk.type !== 'tool-result') return undefined
    await output.enqueue({ ...chunk, preliminary: true })
    return chunk.output
  }
}

/** A preliminary result cannot suspend the run: a streaming tool cannot be resumed halfway. */
function refuseSuspend(error: unknown): never {
  if (!Suspend.isInstance(error)) throw error
  throw new MillraceError(
    'PROCESSOR_FAILED',
    `The processor '${error.processorId}' suspended in processToolResult over a preliminary result. Suspend over the final one, where preliminary is false.`,
    { cause: error },
  )
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** The output of a tool as JSON. A value that is not JSON is an error of the tool. */
function toOutput({ toolName }: ToolCall, value: unknown): unknown {
  try {
    return outputJson(value)
  } catch (error) {
    throw new ThrownByTool(
      new Error(
        `The output of '${toolName}' is not JSON: ${messageOf(error)}. Return plain objects, lists, strings, numbers, booleans and null.`,
        { cause: error },
      ),
    )
  }
}
