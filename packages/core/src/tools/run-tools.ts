import { copyData } from '../copy-data.ts'
import { MillraceError } from '../errors.ts'
import type { PromptMessages } from '../messages/model-message.ts'
import type { processToolResult } from '../processors/process-tool-result.ts'
import type { ChunkType } from '../run/chunk.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import type { StepOutput } from '../run/step-output.ts'
import { isThenable } from '../schema.ts'
import { copyOf, isSignal, Suspend } from '../signals.ts'
import { grantAll } from './approval.ts'
import { CallQueue } from './call-queue.ts'
import { cross } from './crossing.ts'
import { decideCalls } from './decide-calls.ts'
import { type Answer, type Decision, messageOf } from './decision.ts'
import { outputJson, payloadJson } from './json-output.ts'
import { clientCalls, ownCalls } from './own-calls.ts'
import { prepareCall } from './prepare-call.ts'
import type { ToolCall, ToolExecutionOptions } from './tool.ts'

/** What a run that waits for a client's tools says it waits for. */
export interface ToolOutputPayload {
  type: 'tool-output'
  toolCalls: { toolCallId: string; toolName: string; input: unknown }[]
}

/**
 * Answers every call of a step: decides about all of them, executes what may be executed, side by side, and answers
 * the others in the tools' place. Answers go out in the order of the calls, each call exactly once.
 */
export async function runTools(run: Run, step: Step, output: StepOutput): Promise<void> {
  const calls = ownCalls(step)
  const messages = withoutSystem(step.modelRequest?.prompt ?? (await rebuildPrompt(run, step)))
  await decideCalls(run, step, calls) //                           processToolCall
  run.takeResumeData('approval')
  if (!grantAll(run, step, calls)) {
    // Loaded when needed: few tools wait for somebody's approval.
    await (await import('./await-approvals.ts')).awaitApprovals(run, step, { calls, messages })
  }
  const { toolConcurrency } = run.settings
  const queue = calls.length > toolConcurrency ? new CallQueue(toolConcurrency, step.answered) : undefined
  const round: Round = { ended: undefined, review: await loadReview(run), queue }
  const answers = executeCalls(run, step, { calls, messages, output, round })
  await answerCalls(run, step, { calls, answers, output, round }) // processToolResult
}

/** What led to the step's calls, without system messages; put together only when somebody asks for it. */
function withoutSystem(prompt: PromptMessages): () => PromptMessages {
  let messages: PromptMessages | undefined
  return () => {
    messages ??= copyData(prompt.filter(({ role }) => role !== 'system'))
    return messages
  }
}

/** A resumed run has no request: what led to the step is the transcript before it. */
async function rebuildPrompt(run: Run, step: Step): Promise<PromptMessages> {
  const prompt = await run.messageList.toPrompt({ tools: step.tools })
  return prompt.slice(
    0,
    prompt.findLastIndex(({ role }) => role === 'assistant'),
  )
}

/** What the calls of a step share. */
interface Round {
  /** What has ended the run: from then on no call starts or is heard. */
  ended: unknown
  /** Shows an answer to the processors, and returns what they make of it. */
  review: typeof processToolResult | undefined
  /** Where there are more calls than may execute side by side. */
  queue: CallQueue | undefined
}

/** Loaded when a processor has the hook, and before anything is executed: then nothing of it has to wait. */
function loadReview({ pipeline }: Run): Promise<typeof processToolResult> | undefined {
  if (pipeline.processToolResult === null) return undefined
  return import('../processors/process-tool-result.ts').then(({ processToolResult }) => processToolResult)
}

interface ExecuteOptions {
  calls: readonly ToolCall[]
  messages: () => PromptMessages
  output: StepOutput
  round: Round
}

/** Starts all calls that are still to be executed. A call that has to wait for something resolves to why. */
function executeCalls(
  run: Run,
  step: Step,
  { calls, messages, output, round }: ExecuteOptions,
): Promise<Answer | Suspend>[] {
  const { payload } = run.resumption ?? {}
  const suspendedCall = run.resumption?.place.toolCallId
  const resumed = run.takeResumeData('execute')
  const { queue } = round
  const clients = clientCalls(step, calls)
  return calls.map(async (call, index) => {
    const { toolCallId } = call
    const decision = step.decisions[index] as Decision
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
    if (Suspend.isInstance(outcome)) step.suspended[toolCallId] = { payload: outcome.payload }
    else step.answers[toolCallId] = outcome
    return outcome
  })

  /** What comes of a call that is not to be executed, or not again. */
  function knownOutcome(toolCallId: string, decision: Decision): Answer | Suspend | undefined {
    const known = step.answers[toolCallId]
    if (known) return known
    const waiting = step.suspended[toolCallId]
    if (waiting && toolCallId !== suspendedCall) return suspension(toolCallId, waiting.payload)
    if (decision.kind === 'client') return waitForClient(clients)
    if (decision.kind === 'answer') step.answers[toolCallId] = decision.answer
    return step.answers[toolCallId]
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
      ? await cross(run, step, { ...crossing, direction: 'in', value: payload })
      : undefined
    throwIfEnded()
    if (kept !== call.input) step.executedInputs.set(toolCallId, kept)
    step.toolsRan = true
    let inTool = true
    /** Nothing of what a tool gives is kept before it has come back here. */
    const takeOut = (value: unknown): unknown => {
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
        const left = takeOut(jsonOf(call, await result))
        return { status: 'success', output: isThenable(left) ? await left : left }
      }
      let last: unknown
      for await (const value of result) {
        throwIfEnded()
        last = await takeOut(jsonOf(call, value))
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
          ? new Suspend(await takeOut(payloadJson(error.payload)))
          : copyOf(error)
        signal.toolCallId = toolCallId
        if (Suspend.isInstance(signal)) return signal
        round.ended = signal
        throw signal
      }
      return { status: 'error', error: String(await takeOut(messageOf(error))) }
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

interface AnswerOptions {
  calls: readonly ToolCall[]
  answers: readonly Promise<Answer | Suspend>[]
  output: StepOutput
  round: Round
}

/** Takes the answers through the processors and into the transcript, in the order of the calls. */
async function answerCalls(run: Run, step: Step, options: AnswerOptions): Promise<void> {
  const { round } = options
  try {
    await answerInOrder(run, step, options)
  } catch (error) {
    if (!Suspend.isInstance(error)) round.ended ??= error
    throw error
  }
}

/**
 * A call that has to wait does not keep the others from being finished and looked at: what they have done must not be done
 * again when the run is resumed, and what is stored until then is what the processors have left. Out they go in order.
 */
async function answerInOrder(
  run: Run,
  step: Step,
  { calls, answers, output, round }: AnswerOptions,
): Promise<void> {
  const failed = answers.length > 1 ? firstFailure(answers) : undefined
  let waits: Suspend | undefined
  for (let index = step.answered; index < calls.length; index++) {
    const toolCall = calls[index] as ToolCall
    const executed = answers[index] as Promise<Answer | Suspend>
    const answer = await (failed ? Promise.race([executed, failed]) : executed)
    run.throwIfOver()
    const shown =
      Suspend.isInstance(answer) || round.review === undefined
        ? answer
        : await round.review(run, step, { toolCall, answer, preliminary: false }).catch(asSuspension)
    if (Suspend.isInstance(shown)) {
      shown.toolCallId ??= toolCall.toolCallId
      waits ??= shown
    } else if (waits === undefined) {
      await output.enqueue(answerChunk(toolCall, shown))
      step.answered = index + 1
    }
    round.queue?.hear(index)
  }
  if (waits === undefined) return
  run.suspendedIn = 'execute'
  throw waits
}

/** What a tool gave, as everybody gets it. What is not JSON is an error of the tool. */
function jsonOf({ toolName }: ToolCall, value: unknown): unknown {
  try {
    return outputJson(value)
  } catch (error) {
    throw new Error(
      `The output of '${toolName}' is not JSON: ${messageOf(error)}. Return plain objects, lists, strings, numbers, booleans and null.`,
      { cause: error },
    )
  }
}

/** A signal in one tool ends the run at once; the others must not become unhandled rejections then. */
function firstFailure(answers: readonly Promise<unknown>[]): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    for (const answer of answers) answer.catch(reject)
  })
  failed.catch(() => {})
  return failed
}

function asSuspension(error: unknown): Suspend {
  if (Suspend.isInstance(error)) return error
  throw error
}

/** A tool that streams cannot be stopped halfway and go on later, so its results so far are no place to suspend. */
function refuseSuspend(error: unknown): never {
  if (!Suspend.isInstance(error)) throw error
  throw new MillraceError(
    'PROCESSOR_FAILED',
    `The processor '${error.processorId}' suspended in processToolResult over a preliminary result. Suspend over the final one, where preliminary is false.`,
    { cause: error },
  )
}

/** A call that goes on waiting while the run was resumed for another: it is not executed again for that. */
function suspension(toolCallId: string, payload: unknown): Suspend {
  const signal = new Suspend(payload)
  signal.toolCallId = toolCallId
  return signal
}

function waitForClient(waiting: readonly ToolCall[]): Suspend {
  const toolCalls = waiting.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input }))
  return new Suspend({ type: 'tool-output', toolCalls } satisfies ToolOutputPayload)
}

/** An answer as a chunk, with the input as the model sent it. */
export function answerChunk(call: ToolCall, answer: Answer): ToolAnswerChunk {
  const { toolCallId, toolName, input, dynamic } = call
  const identity = { toolCallId, toolName, input, ...(dynamic && { dynamic }) }
  switch (answer.status) {
    case 'success':
      return { type: 'tool-result', ...identity, output: answer.output }
    case 'error':
      return { type: 'tool-error', ...identity, error: answer.error }
    case 'denied':
      return {
        type: 'tool-denied',
        ...identity,
        ...(answer.reason !== undefined && { reason: answer.reason }),
      }
    default:
      return answer satisfies never
  }
}

type ToolAnswerChunk = Extract<ChunkType, { type: 'tool-result' | 'tool-error' | 'tool-denied' }>

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
