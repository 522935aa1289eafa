import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { MillraceError } from '../errors.ts'
import { deliverResult } from '../loop/end/deliver-result.ts'
import { askProcessors, processInput } from '../loop/input/process-input.ts'
import { processInputStep } from '../loop/model/process-input-step.ts'
import { ChunkHooks, type HookOutput } from '../loop/output/chunk-hooks.ts'
import { reviewResult } from '../loop/output/review-result.ts'
import { reviewStep } from '../loop/output/review-step.ts'
import { StepOutput } from '../loop/output/step-output.ts'
import { processToolStep } from '../loop/tools/process-tool-step.ts'
import type { AgentInput, ParsedInput } from '../messages/agent-input.ts'
import { checkList, parseInput } from '../messages/input.ts'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { ModelRequest } from '../model/model-request.ts'
import { type OptionNames, requireOptions } from '../option-names.ts'
import {
  compilePipeline,
  EMPTY_PIPELINE,
  type Pipeline,
  type ProcessorEntry,
} from '../processors/pipeline.ts'
import type { Chunk } from '../results/chunk.ts'
import type { ProcessorRecord, RunResult, RunWarning } from '../results/result.ts'
import { recordOf } from '../run/call-record.ts'
import { watch } from '../run/deadline.ts'
import { Outlet } from '../run/outlet.ts'
import type { Run } from '../run/run.ts'
import { Step } from '../run/step.ts'
import type { StepSettings } from '../run/step-settings.ts'
import type { Answer } from '../tools/decision.ts'
import { ownTool, type Tool, type ToolCall, type ToolResult } from '../tools/tool.ts'
import type { MessageList, MessageOrigin } from '../transcript/message-list.ts'
import type { PipelineAnswer, PipelineAnswerEnd, PipelineAnswerOptions } from './pipeline-answer.ts'
import { type PipelineResponse, writeResponse } from './pipeline-response.ts'
import { type ChunkSink, createRun, type ProcessorPipelineOptions } from './pipeline-run.ts'
import type { PipelineSession } from './pipeline-session.ts'
import { refuseApproval } from './refuse-approval.ts'
import { UNKNOWN_TOOL } from './unknown-tool.ts'

/** The decision on a tool call: executed with this input, denied, or answered in the tool's place. */
export type ToolCallDecision = { input: unknown } | { deny: string | undefined } | { output: unknown }

/**
 * A chain of processors without an agent, for a test or another framework. It has a method for each hook; call them
 * in the order of the loop. Processors behave exactly as in an agent.
 *
 * One instance is one run: it has the transcript and the processors' `state`. Create one for each turn; processors
 * may be shared.
 *
 * What an agent reports as a status is thrown, so that no decision can be overlooked: {@link TripWire} (with `retry`
 * if another attempt is requested), {@link Halt} with the answer, {@link Suspend}. Errors are thrown as
 * `MillraceError`.
 *
 * Rarely used parts are loaded on demand, as in an agent.
 *
 * @example
 * const pipeline = new ProcessorPipeline([new PIIDetector(), new ContentGuard()])
 * const { messages } = await pipeline.processInput('My card is 4111 1111 1111 1111')
 */
export class ProcessorPipeline {
  readonly #run: Run
  readonly #sink: ChunkSink
  readonly #settle: ReturnType<typeof createRun>['settle']
  readonly #detach: () => void
  readonly #session: PipelineSession | undefined
  #entries: readonly ProcessorEntry[]
  #compiled: Pipeline = EMPTY_PIPELINE
  #step: Step | undefined
  #delivery: ChunkHooks | undefined

  /**
   * @param processors In order; or another pipeline, whose validated processors are used
   * @throws MillraceError `CONFIG_…`, as the agent does for its `processors`
   */
  constructor(
    processors: readonly ProcessorEntry[] | ProcessorPipeline = [],
    options: ProcessorPipelineOptions = {},
  ) {
    if (!Array.isArray(processors) && !(processors instanceof ProcessorPipeline)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'The first argument of ProcessorPipeline is not a list. Pass an array of processors.',
      )
    }
    const { run, sink, settle, detach } = createRun(options)
    this.#run = run
    this.#session = options.session
    this.#settle = settle
    this.#detach = detach
    this.#sink = sink
    if (processors instanceof ProcessorPipeline) {
      this.#entries = processors.#entries
      this.#begin(processors.#compiled)
    } else {
      this.#entries = processors
      this.#begin(compilePipeline({ processors }))
    }
  }

  /**
   * Appends processors, for hooks that are called from now on.
   *
   * @throws MillraceError `CONFIG_…`; then nothing is added
   */
  add(...processors: readonly ProcessorEntry[]): this {
    const before = this.#entries
    const entries = [...before, ...processors]
    this.#begin(compilePipeline({ processors: entries }))
    this.#entries = entries
    return this
  }

  /** Number of processors, including each one of the providers. */
  get length(): number {
    return this.#run.pipeline.names.size
  }

  /** The transcript. */
  get messageList(): MessageList {
    return this.#run.messageList
  }

  /** The system messages after the processors. They are not part of the transcript. */
  get systemMessages(): readonly SystemMessage[] {
    return this.#run.state.systemMessages
  }

  /** The records of the processors so far. */
  get processors(): ProcessorRecord[] {
    return this.#run.records.map((record) => record.toResult())
  }

  /** Warnings, such as of processors with `onError: 'skip'` that failed. */
  get warnings(): readonly RunWarning[] {
    return this.#run.state.warnings
  }

  /**
   * Adds input to the transcript and returns what the processors left of it. As in a run, a list may come from a
   * client unless it is `trusted`: see `RunOptions`.
   */
  async processInput(
    input: AgentInput,
    {
      systemMessages = [],
      trusted = false,
    }: { systemMessages?: readonly SystemMessage[]; trusted?: boolean } = {},
  ): Promise<{ messages: Message[]; systemMessages: SystemMessage[] }> {
    const run = this.#run
    const parsed = trusted || typeof input === 'string' ? await parseInput(input) : await untrusted(input)
    run.state.systemMessages = [...run.state.systemMessages, ...systemMessages, ...parsed.systemMessages]
    run.messageList.add(parsed.messages, 'input')
    await processInput(run)
    return { messages: run.messageList.get(), systemMessages: [...run.state.systemMessages] }
  }

  /**
   * Adds a model prompt to the transcript: messages before the newest user message are history, the rest is this
   * turn. Its tool results pass the hooks for tool results; `processToolStep` receives those at the end of the
   * prompt. Parts that the processors do not change are sent to the model as they came.
   *
   * With a session, `processInput` is not called again for a prompt that continues the last turn.
   *
   * @param options.isReviewed Whether `processInput` was already called for this turn. Default: false
   * @returns The answer, if a processor ends the loop with one
   */
  async processPrompt(
    prompt: LanguageModelV4Prompt,
    options: { isReviewed?: boolean } = {},
  ): Promise<{ finish: true; text: string } | undefined> {
    const { isReviewed = false } = requireOptions('pipeline.processPrompt()', options, {
      isReviewed: 'optional',
    })
    prompts ??= await import('./provider-prompt.ts')
    const { state } = this.#run
    const { messages, systemMessages, trailing } = prompts.readPrompt(prompt, this.messageList, this.#session)
    const continued = this.#session?.continued(messages, systemMessages)
    if (continued) {
      state.systemMessages = [...continued.systemMessages]
      for (const { message, origin } of inOrder(continued.messages)) this.messageList.add(message, origin)
    } else {
      const turn = messages.findLastIndex(({ role }) => role === 'user')
      state.systemMessages = [...state.systemMessages, ...systemMessages]
      this.messageList.add(messages.slice(0, Math.max(turn, 0)), 'remembered')
      this.messageList.add(messages.slice(Math.max(turn, 0)), 'input')
      // System messages alone are a request, too.
      const isEmpty = messages.length === 0 && systemMessages.length > 0
      if (!isReviewed) await (isEmpty ? askProcessors(this.#run) : processInput(this.#run))
    }
    const results = await this.#processToolResults()
    this.#session?.keep(this.messageList, state.systemMessages)
    const last = results.filter(({ toolCallId }) => trailing.has(toolCallId))
    return last.length > 0 ? this.processToolStep(last) : undefined
  }

  async #processToolResults(): Promise<ToolResult[]> {
    const { processToolResult, processExecution } = this.#run.pipeline
    const { toolResultOf, withToolResult } = prompts as typeof import('./provider-prompt.ts')
    const results: ToolResult[] = []
    for (const message of this.messageList.get()) {
      let left = message
      for (const [index, part] of message.content.parts.entries()) {
        const given = toolResultOf(part)
        if (!given) continue
        if ((!processToolResult && !processExecution) || this.#session?.isReviewed(message)) {
          results.push(given)
          continue
        }
        const reviewed = await this.#processToolResult(given)
        results.push(reviewed)
        if (reviewed !== given) left = withToolResult(left, index, reviewed)
      }
      if (left !== message) this.messageList.replace(left)
    }
    return results
  }

  /** The tool result after the processors. Returns the same object if it was not changed. */
  async #processToolResult(given: ToolResult): Promise<ToolResult> {
    const { toolCallId, toolName, input } = given
    const tool = ownTool(this.#run.settings.tools, toolName) ?? UNKNOWN_TOOL
    const key = given.status === 'success' ? 'output' : given.status === 'error' ? 'error' : undefined
    let current = given
    if (key !== undefined) {
      const before = (given as unknown as Record<string, unknown>)[key]
      const value = await this.processExecution({ toolCallId, toolName, input }, 'out', {
        value: before,
        tool,
      })
      if (value !== before) current = { ...given, [key]: value } as ToolResult
    }
    const answered = await this.processToolResult(current)
    return isSameResult(answered, given) ? given : answered
  }

  /** Starts a step and returns the settings of its model call. */
  async processInputStep(
    settings: Partial<Omit<StepSettings, 'messages' | 'systemMessages'>> = {},
  ): Promise<StepSettings & { messages: Message[] }> {
    Object.assign(this.#run.settings, settings)
    const left = await processInputStep(this.#run, this.#nextStep())
    return { ...left, messages: left.messages ?? this.#run.messageList.get() }
  }

  /**
   * The chunks of a model call, wrapped by the processors. `next` makes the call. Default: `request.model` is called.
   */
  async *wrapModelCall(
    request: ModelRequest,
    next?: (request: ModelRequest) => AsyncIterable<Chunk>,
  ): AsyncGenerator<Chunk> {
    const { wrapModelCall } = await import('../loop/model/wrap-model-call.ts')
    yield* wrapModelCall(this.#run, this.#currentStep(), { request, ...(next && { call: next }) })
  }

  /** The request of the next attempt, if a processor requests one. */
  async processModelError(error: MillraceError, request: ModelRequest): Promise<ModelRequest | undefined> {
    const { processModelError } = await import('../loop/model/process-model-error.ts')
    const retry = await processModelError(this.#run, this.#currentStep(), { error, request })
    if (retry !== 'prepare') return retry?.request
    const { prepareRequest } = await import('../loop/model/prepare-request.ts')
    const step = this.#nextStep()
    step.prepared = await processInputStep(this.#run, step)
    return prepareRequest(this.#run, step)
  }

  /**
   * Passes the chunks of a response through the processors and into the transcript. Adds `step-start` and
   * `step-finish` if they are missing.
   */
  async *processOutputStream(chunks: Iterable<Chunk> | AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    const step = this.#step?.state.wrote ? this.#nextStep() : this.#currentStep()
    const output = this.#openOutput(step)
    this.#sink.open = true
    try {
      await output.start()
      for await (const chunk of chunks) {
        if (chunk.type === 'step-finish') step.readFinish(chunk)
        else if (chunk.type === 'finish') await output.close(chunk)
        else if (chunk.type !== 'step-start' && chunk.type !== 'response-end') await output.push(chunk)
        yield* this.#sink.take()
      }
      await output.endResponse()
      await output.finish()
      await output.end()
      output.readBack()
      this.#run.addUsage(step.state.usage)
      yield* this.#sink.take()
    } catch (error) {
      await output.discard({ retry: false })
      this.#step = undefined
      throw error
    } finally {
      this.#sink.open = false
    }
  }

  /**
   * A whole answer of the model, to `prompt` if given. Calls all hooks as a step of an agent does, from
   * `processInput` or, without `prompt`, `processInputStep` on: its chunks have passed `processDelivery`. Calls the
   * model again if a processor requests a retry (`maxProcessorRetries`, 3) or answers all tool calls itself, at most
   * `maxSteps` (20) times. The caller executes the remaining tool calls. After this, only call `close`.
   *
   * @throws MillraceError, {@link TripWire}, {@link Suspend}: `end` rejects with them. A {@link Halt} is returned as
   *   an answer.
   */
  answer(options: PipelineAnswerOptions = {}): PipelineAnswer {
    const {
      prompt,
      isReviewed = false,
      endsWithCalls = false,
      write,
      ...settings
    } = requireOptions('pipeline.answer()', options, ANSWER_OPTIONS)
    const run = this.#run
    Object.assign(run.settings, { maxProcessorRetries: 3, maxSteps: 20 }, settings)
    const cancel = (): void => run.stop(NOT_READ)
    const outlet = new Outlet({ discards: false, onLeave: cancel })
    const give = (chunk: Chunk): Promise<void> | undefined => {
      this.#sink.report(chunk)
      return write ? write(chunk) : outlet.write(chunk)
    }
    const aborted = new Promise<never>((_, reject) => {
      const abort = (): void => reject(run.signal.reason)
      if (run.signal.aborted) abort()
      run.signal.addEventListener('abort', abort, { once: true })
    })
    const deadline = watch(run, run.settings.stepTimeout, { what: 'The answer', until: run.signal })
    const prepare = () => (prompt ? this.processPrompt(prompt, { isReviewed }) : undefined)
    const ask = async (): Promise<PipelineAnswerEnd> => {
      answers ??= await import('./pipeline-answer.ts')
      const { processDelivery } = this.#compiled
      const delivery = processDelivery && new answers.AnswerDelivery(run, processDelivery, give)
      const emit = delivery?.emit ?? give
      this.#sink.reader = emit
      const end = await answers.answer(run, new Step(run.steps.length), { prepare, emit, endsWithCalls })
      return delivery ? delivery.end(end) : end
    }
    const end = Promise.race([ask(), aborted]).finally(() => {
      deadline?.end()
      this.#detach()
      outlet.end()
    })
    // Callers that read to the end get the rejection there.
    end.catch(() => {})
    return { chunks: outlet.read(), end, cancel }
  }

  /** Passes the response to the processors: the streamed one, or the given one. */
  async processOutputStep(
    response?: PipelineResponse,
  ): Promise<{ text: string; toolCalls: ToolCall[]; messages: Message[]; continue: Message[] }> {
    const step = this.#currentStep()
    if (response) writeResponse(this.#run, step, response)
    await reviewStep(this.#run, step, this.#openOutput(step))
    const { text, toolCalls, follow } = step.state
    return {
      text,
      toolCalls: [...toolCalls],
      messages: this.#run.messageList.get('response'),
      continue: [...follow],
    }
  }

  /** Decides on one tool call. `tool` is passed to the processors. Default: a tool without any properties. */
  async processToolCall(toolCall: ToolCall, tool: Tool = UNKNOWN_TOOL): Promise<ToolCallDecision> {
    const { processToolCall } = await import('../loop/tools/process-tool-call.ts')
    const step = this.#currentStep()
    const decided = await processToolCall(this.#run, step, { toolCall, tool })
    if ('input' in decided) {
      refuseApproval(step, toolCall.toolCallId)
      return { input: decided.input }
    }
    const { answer } = decided
    return answer.status === 'denied'
      ? { deny: answer.reason }
      : { output: 'output' in answer ? answer.output : undefined }
  }

  /** Passes the input or output of a tool through the processors. Returns the value to use instead. */
  async processExecution(
    toolCall: ToolCall,
    direction: 'in' | 'out',
    { value, tool = UNKNOWN_TOOL }: { value: unknown; tool?: Tool },
  ): Promise<unknown> {
    const { processExecution } = await import('../loop/tools/process-execution.ts')
    return processExecution(this.#run, this.#currentStep(), { toolCall, tool, direction, value })
  }

  /** Passes one tool result to the processors, and returns it as they left it. */
  async processToolResult(
    toolResult: ToolResult,
    options: { preliminary?: boolean } = {},
  ): Promise<ToolResult> {
    const { preliminary = false } = requireOptions('pipeline.processToolResult()', options, {
      preliminary: 'optional',
    })
    const { toolCallId, toolName, input, ...rest } = toolResult
    const toolCall = { toolCallId, toolName, input }
    const step = this.#currentStep()
    // A result that is passed again is reviewed again.
    delete recordOf(step.state, toolCallId).review
    const { processToolResult } = await import('../loop/tools/process-tool-result.ts')
    const answer = await processToolResult(this.#run, step, {
      toolCall,
      answer: rest as Answer,
      preliminary,
    })
    return { ...toolCall, ...answer } as ToolResult
  }

  /** Passes all results of a step to the processors. Returns the answer if a processor ends the loop with one. */
  async processToolStep(
    toolResults: readonly ToolResult[],
  ): Promise<{ finish: true; text: string } | undefined> {
    const step = this.#currentStep()
    step.state.toolResults = [...toolResults]
    step.state.answered = toolResults.length
    const answer = await processToolStep(this.#run, step)
    return answer && { finish: true, text: answer.text }
  }

  /** Passes the finished answer to the processors: everything that was streamed, or the given text. */
  async processOutputResult(text?: string): Promise<{ text: string; messages: Message[] }> {
    const step = this.#currentStep()
    if (text !== undefined) writeResponse(this.#run, step, { text })
    await reviewResult(this.#run, step)
    return { text: step.state.text, messages: this.#run.messageList.get('response') }
  }

  /** Passes one chunk to the caller. Returns the chunks to show instead. */
  async processDelivery(chunk: Chunk): Promise<readonly Chunk[]>
  /** Passes a result to the caller. */
  async processDelivery(result: RunResult): Promise<RunResult>
  async processDelivery(given: Chunk | RunResult): Promise<readonly Chunk[] | RunResult> {
    const processors = this.#compiled.processDelivery
    if (!('type' in given)) return deliverResult(this.#run, given, processors)
    if (processors === null) return [given]
    const writer = { write: async (chunk: Chunk) => this.#run.emit(chunk) }
    this.#delivery ??= ChunkHooks.forDelivery(this.#run, processors, writer)
    return listOf(await this.#delivery.pass(given))
  }

  /**
   * Resolves when the background work of hooks (`waitUntil`) is done.
   *
   * @throws MillraceError `PROCESSOR_FAILED` if some of it has failed
   */
  async close(): Promise<void> {
    const [failure] = await this.#settle()
    if (!failure) return
    const { processorId, hook, error } = failure
    throw new MillraceError(
      'PROCESSOR_FAILED',
      `Background work that the processor '${processorId}' started in ${hook} failed: ${error.name}. See the cause.`,
      { cause: error },
    )
  }

  #begin(compiled: Pipeline): void {
    this.#compiled = compiled
    this.#delivery = undefined
    // Delivery is a method of its own here.
    this.#run.begin({ ...compiled, processDelivery: null })
  }

  #currentStep(): Step {
    this.#step ??= new Step(this.#run.steps.length)
    return this.#step
  }

  /** A step with a response is finished. */
  #nextStep(): Step {
    if (this.#step?.state.wrote) this.#run.accept(this.#step)
    if (this.#step?.state.wrote || this.#step?.state.settings) this.#step = undefined
    return this.#currentStep()
  }

  #openOutput(step: Step): StepOutput {
    const output = new StepOutput(this.#run, step)
    // Calls are not executed here, so they need not be held.
    step.state.held = null
    return output
  }
}

const ANSWER_OPTIONS: OptionNames<PipelineAnswerOptions> = {
  model: 'optional',
  tools: 'optional',
  activeTools: 'optional',
  toolChoice: 'optional',
  modelSettings: 'open',
  providerOptions: 'optional',
  structuredOutput: 'optional',
  maxProcessorRetries: 'optional',
  maxSteps: 'optional',
  emit: 'optional',
  stepTimeout: 'optional',
  chunkTimeout: 'optional',
  onPart: 'optional',
  prompt: 'optional',
  endsWithCalls: 'optional',
  isReviewed: 'optional',
  write: 'optional',
}

/** Loaded on demand, and cached, because `import()` costs time on every call. */
let prompts: typeof import('./provider-prompt.ts') | undefined
let answers: typeof import('./pipeline-answer.ts') | undefined

const NOT_READ = new MillraceError('RUN_FAILED', 'The answer was not read to its end, so it was cancelled.')

/** History first, as in the list. */
function inOrder<ENTRY extends { origin: MessageOrigin }>(entries: readonly ENTRY[]): ENTRY[] {
  const isFirst = ({ origin }: ENTRY): boolean => origin === 'remembered' || origin === 'context'
  return [...entries.filter(isFirst), ...entries.filter((entry) => !isFirst(entry))]
}

/** Hooks get copies of outputs, so results are compared by content. */
function isSameResult(one: ToolResult, other: ToolResult): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function listOf(passed: HookOutput): readonly Chunk[] {
  if (passed === undefined) return []
  return Array.isArray(passed) ? passed : [passed as Chunk]
}

async function untrusted(input: Exclude<AgentInput, string>): Promise<ParsedInput> {
  const { readUntrusted } = await import('../ui/client-messages.ts')
  return readUntrusted(checkList(input))
}
