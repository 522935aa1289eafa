import { copyData } from '../../copy-data.ts'
import { MillraceError, messageOf } from '../../errors.ts'
import { outputJson, payloadJson } from '../../messages/json-output.ts'
import type { PromptMessages } from '../../messages/model-message.ts'
import { clientCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { isThenable } from '../../schema.ts'
import { copyOf, isSignal, Suspend } from '../../signals.ts'
import type { Answer, Decision } from '../../tools/decision.ts'
import type { ToolOutputPayload } from '../../tools/suspension-payload.ts'
import type { ToolCall, ToolExecutionOptions } from '../../tools/tool.ts'
import type { StepOutput } from '../output/step-output.ts'
import { answerChunk } from './answer-chunk.ts'
import { cross } from './crossing.ts'
import { prepareCall } from './prepare-call.ts'
import type { Round } from './round.ts'

/** Starts all calls that are still to be executed. A call that has to wait for something resolves to why. */
export function executeCalls(
  run: Run,
  step: Step,
  { calls, messages, output, round }: ExecuteOptions,
): Promise<Answer | Suspend>[] {
  const resumed = run.resumption?.point.phase === 'execute' ? run.resumption : undefined
  const suspendedCall = resumed?.point.toolCallId
  const { queue } = round
  const clients = clientCalls(step, calls)
  return calls.map(async (call, index) => {
    const { toolCallId } = call
    const decision = step.state.decisions[index] as Decision
    const known = knownOutcome(toolCallId, decision)
    if (known) {
      queue?.finish(index)
      return known
    }
    const { input } = decision as Extract<Decision, { kind: 'execute' }>
    const work = (): Promise<Answer | Suspend> => {
      throwIfEnded()
      return observed(call, () => execute(call, input))
    }
    const outcome = await (queue ? queue.run(index, async () => work()) : work())
    if (round.ended !== undefined) throw round.ended
    if (Suspend.isInstance(outcome)) step.state.suspended[toolCallId] = { payload: outcome.payload }
    else step.state.answers[toolCallId] = outcome
    return outcome
  })

  /** What comes of a call that is not to be executed, or not again. */
  function knownOutcome(toolCallId: string, decision: Decision): Answer | Suspend | undefined {
    const known = step.state.answers[toolCallId]
    if (known) return known
    const waiting = step.state.suspended[toolCallId]
    if (waiting && toolCallId !== suspendedCall) return suspension(toolCallId, waiting.payload)
    if (decision.kind === 'client') return waitForClient(clients)
    if (decision.kind === 'answer') step.state.answers[toolCallId] = decision.answer
    return step.state.answers[toolCallId]
  }

  function observed(call: ToolCall, work: () => Promise<Answer | Suspend>): Promise<Answer | Suspend> {
    const { trace, events } = run
    const execute = trace ? () => trace.executeTool(step, call, work) : work
    return events ? events.executeTool(step, call, execute) : execute()
  }

  function throwIfEnded(): void {
    run.throwIfOver()
    if (round.ended !== undefined) throw round.ended
  }

  async function execute(call: ToolCall, decided: unknown): Promise<Answer | Suspend> {
    const { toolCallId } = call
    const { requestContext, signal: abortSignal } = run
    const preparing = prepareCall(run, step, { ...call, input: decided })
    const prepared = isThenable(preparing) ? await preparing : preparing
    if ('error' in prepared) return { status: 'error', error: prepared.error }
    const { tool, input, kept } = prepared
    const crossing = { toolCall: { ...call, input: kept }, tool }
    const isResumed = resumed !== undefined && toolCallId === suspendedCall
    const suspendPayload = isResumed
      ? await cross(run, step, { ...crossing, direction: 'in', value: resumed.payload })
      : undefined
    throwIfEnded()
    if (kept !== call.input) step.setExecutedInput(toolCallId, kept)
    step.state.toolsRan = true
    let inTool = true
    /** Nothing of what a tool gives is kept before it has come back here. */
    const filterOutput = (value: unknown): unknown => {
      const left = cross(run, step, { ...crossing, direction: 'out', value })
      if (left === value) return value
      inTool = false
      return Promise.resolve(left).then((settled) => {
        inTool = true
        return settled
      })
    }
    try {
      const options: ToolExecutionOptions = {
        toolCallId,
        get messages() {
          return messages()
        },
        abortSignal,
        requestContext,
        resumeData: isResumed ? resumed.data : undefined,
        suspendPayload,
        addUsage: (usage) => run.addUsage(usage),
        context: {},
      }
      if (!isResumed) {
        if (tool.onInputStart) await tool.onInputStart(options)
        if (tool.onInputAvailable) await tool.onInputAvailable({ ...options, input })
        throwIfEnded()
      }
      // The transcript keeps what the model sent, whatever the tool does with its input.
      const result = tool.execute?.(input === call.input ? copyData(input) : input, options)
      if (!isAsyncIterable(result)) {
        const left = filterOutput(toOutput(call, await result))
        return { status: 'success', output: isThenable(left) ? await left : left }
      }
      let last: unknown
      for await (const value of result) {
        throwIfEnded()
        last = await filterOutput(toOutput(call, value))
        inTool = false
        await emitPreliminary(call, last)
        inTool = true
      }
      return { status: 'success', output: last }
    } catch (error) {
      // What the tool throws is for the model to see; what a processor throws about the tool's result is not.
      if (!inTool || run.over || round.ended !== undefined) throw error
      if (isSignal(error)) {
        const signal = Suspend.isInstance(error)
          ? new Suspend(await filterOutput(payloadJson(error.payload)))
          : copyOf(error)
        signal.toolCallId = toolCallId
        if (Suspend.isInstance(signal)) return signal
        round.ended = signal
        throw signal
      }
      return { status: 'error', error: String(await filterOutput(messageOf(error))) }
    }
  }

  async function emitPreliminary(toolCall: ToolCall, value: unknown): Promise<void> {
    const answer: Answer = { status: 'success', output: value }
    const shown = await round
      .review?.(run, step, { toolCall, answer, preliminary: true })
      .catch(refuseSuspend)
    throwIfEnded()
    const chunk = answerChunk(toolCall, shown ?? answer)
    if (chunk.type === 'tool-result') await output.enqueue({ ...chunk, preliminary: true })
  }
}

export interface ExecuteOptions {
  calls: readonly ToolCall[]
  messages: () => PromptMessages
  output: StepOutput
  round: Round
}

/** A call that goes on waiting while the run was resumed for another: it is not executed again for that. */
export function suspension(toolCallId: string, payload: unknown): Suspend {
  const signal = new Suspend(payload)
  signal.toolCallId = toolCallId
  return signal
}

export function waitForClient(waiting: readonly ToolCall[]): Suspend {
  const toolCalls = waiting.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input }))
  return new Suspend({ type: 'tool-output', toolCalls } satisfies ToolOutputPayload)
}

/** A tool that streams cannot be stopped halfway and go on later, so its results so far are no place to suspend. */
export function refuseSuspend(error: unknown): never {
  if (!Suspend.isInstance(error)) throw error
  throw new MillraceError(
    'PROCESSOR_FAILED',
    `The processor '${error.processorId}' suspended in processToolResult over a preliminary result. Suspend over the final one, where preliminary is false.`,
    { cause: error },
  )
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** The output of a tool as JSON. What has no JSON is an error of the tool. */
function toOutput({ toolName }: ToolCall, value: unknown): unknown {
  try {
    return outputJson(value)
  } catch (error) {
    throw new Error(
      `The output of '${toolName}' is not JSON: ${messageOf(error)}. Return plain objects, lists, strings, numbers, booleans and null.`,
      { cause: error },
    )
  }
}
