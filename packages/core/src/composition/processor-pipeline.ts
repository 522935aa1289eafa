import { MillraceError } from '../errors.ts'
import { deliverResult } from '../loop/end/deliver-result.ts'
import { processInput } from '../loop/input/process-input.ts'
import { processInputStep } from '../loop/model/process-input-step.ts'
import { ChunkHooks, type Passed } from '../loop/output/chunk-hooks.ts'
import { reviewResult } from '../loop/output/review-result.ts'
import { reviewStep } from '../loop/output/review-step.ts'
import { StepOutput } from '../loop/output/step-output.ts'
import { processToolStep } from '../loop/tools/process-tool-step.ts'
import type { AgentInput, ParsedInput } from '../messages/agent-input.ts'
import { checkList, parseInput } from '../messages/input.ts'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { ModelRequest } from '../model/model-request.ts'
import {
  compilePipeline,
  EMPTY_PIPELINE,
  type Pipeline,
  type ProcessorEntry,
} from '../processors/pipeline.ts'
import type { Chunk } from '../results/chunk.ts'
import type { ProcessorRecord, RunResult, RunWarning } from '../results/result.ts'
import type { Run } from '../run/run.ts'
import { Step } from '../run/step.ts'
import type { StepSettings } from '../run/step-settings.ts'
import type { Answer } from '../tools/decision.ts'
import type { Tool, ToolCall, ToolResult } from '../tools/tool.ts'
import type { MessageList } from '../transcript/message-list.ts'
import { type PipelineResponse, writeResponse } from './pipeline-response.ts'
import { type ChunkSink, createRun, type ProcessorPipelineOptions, UNKNOWN_TOOL } from './pipeline-run.ts'

/** What becomes of a tool call: executed with this input, denied, or answered in the tool's place. */
export type ToolCallDecision = { input: unknown } | { deny: string | undefined } | { output: unknown }

/**
 * A chain of processors without an agent, in a test or in another framework: a method for each hook, to be called in
 * the order of the loop. They run exactly as in an agent.
 *
 * One instance is one run: it keeps the transcript and what the processors keep in `state`. Make one for each turn; the
 * processors may be shared.
 *
 * What an agent reports as a status is thrown here, so that no verdict can be overlooked: {@link TripWire} (with
 * `retry` where another attempt is wanted), {@link Halt} with the answer to give, {@link Suspend}. Faults are thrown as
 * `MillraceError`, as ever.
 *
 * What only few chains need is loaded with its first use, as in an agent.
 *
 * @example
 * const pipeline = new ProcessorPipeline([new PIIDetector(), new ContentGuard()])
 * const { messages } = await pipeline.processInput('My card is 4111 1111 1111 1111')
 */
export class ProcessorPipeline {
  readonly #run: Run
  readonly #sink: ChunkSink
  readonly #settle: ReturnType<typeof createRun>['settle']
  #entries: readonly ProcessorEntry[]
  #compiled: Pipeline = EMPTY_PIPELINE
  #step: Step | undefined
  #delivery: ChunkHooks | undefined

  /** @throws MillraceError `CONFIG_…` as the agent does for its `processors` */
  constructor(processors: readonly ProcessorEntry[] = [], options: ProcessorPipelineOptions = {}) {
    const { run, sink, settle } = createRun(options)
    this.#run = run
    this.#settle = settle
    this.#sink = sink
    this.#entries = processors
    this.#compile()
  }

  /**
   * Adds processors at the end, for hooks that are called from now on.
   *
   * @throws MillraceError `CONFIG_…`; then nothing is added
   */
  add(...processors: readonly ProcessorEntry[]): this {
    const before = this.#entries
    this.#entries = [...before, ...processors]
    try {
      this.#compile()
    } catch (error) {
      this.#entries = before
      throw error
    }
    return this
  }

  /** How many processors there are, those of providers counted one by one. */
  get length(): number {
    return this.#run.pipeline.names.size
  }

  /** The transcript. */
  get messageList(): MessageList {
    return this.#run.messageList
  }

  /** What the processors did so far. */
  get processors(): ProcessorRecord[] {
    return this.#run.records.map((record) => record.toResult())
  }

  /** Processors that failed and were skipped, as they asked for. */
  get warnings(): readonly RunWarning[] {
    return this.#run.state.warnings
  }

  /**
   * Takes input into the transcript and returns what the processors leave of it. As in a run, a list may be a client's
   * unless it is `trusted`: see `RunOptions`.
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

  /** Begins a step and returns the request of its model call. */
  async processInputStep(
    settings: Partial<Omit<StepSettings, 'messages' | 'systemMessages'>> = {},
  ): Promise<StepSettings & { messages: Message[] }> {
    Object.assign(this.#run.settings, settings)
    const left = await processInputStep(this.#run, this.#nextStep())
    return { ...left, messages: left.messages ?? this.#run.messageList.get() }
  }

  /** The chunks of a model call with the processors around it. `next` makes the call. Default: `request.model` does. */
  async *wrapModelCall(
    request: ModelRequest,
    next?: (request: ModelRequest) => AsyncIterable<Chunk>,
  ): AsyncGenerator<Chunk> {
    const { wrapModelCall } = await import('../loop/model/wrap-model-call.ts')
    yield* wrapModelCall(this.#run, this.#currentStep(), { request, ...(next && { call: next }) })
  }

  /** The request of another attempt, if a processor wants one. */
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
   * Takes the chunks of a response through the processors, into the transcript and out. The response is framed by a
   * `step-start` and a `step-finish`, which are made where they are missing.
   */
  async *processOutputStream(chunks: Iterable<Chunk> | AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    const step = this.#step?.state.wrote ? this.#nextStep() : this.#currentStep()
    const output = this.#openOutput(step)
    this.#sink.open = true
    try {
      await output.start({ structured: false })
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
      step.state.streamedText = step.state.text
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

  /** Shows the response to the processors: the one that was streamed, or the given one. */
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

  /** Decides about one tool call. `tool` is what processors are shown. Default: a tool of which nothing is known. */
  async processToolCall(toolCall: ToolCall, tool: Tool = UNKNOWN_TOOL): Promise<ToolCallDecision> {
    const { processToolCall } = await import('../loop/tools/process-tool-call.ts')
    const decided = await processToolCall(this.#run, this.#currentStep(), { toolCall, tool })
    if ('input' in decided) return { input: decided.input }
    const { answer } = decided
    return answer.status === 'denied'
      ? { deny: answer.reason }
      : { output: 'output' in answer ? answer.output : undefined }
  }

  /** Takes what goes into a tool, or what comes out of it, through the processors. Returns the value to use in its place. */
  async processExecution(
    toolCall: ToolCall,
    direction: 'in' | 'out',
    { value, tool = UNKNOWN_TOOL }: { value: unknown; tool?: Tool },
  ): Promise<unknown> {
    const { processExecution } = await import('../loop/tools/process-execution.ts')
    return processExecution(this.#run, this.#currentStep(), { toolCall, tool, direction, value })
  }

  /** Shows one result to the processors and returns it as they leave it. */
  async processToolResult(
    toolResult: ToolResult,
    { preliminary = false }: { preliminary?: boolean } = {},
  ): Promise<ToolResult> {
    const { toolCallId, toolName, input, ...rest } = toolResult
    const toolCall = { toolCallId, toolName, input }
    const step = this.#currentStep()
    // A result that is passed again is reviewed again.
    delete step.state.reviewedAnswers[toolCallId]
    const { processToolResult } = await import('../loop/tools/process-tool-result.ts')
    const answer = await processToolResult(this.#run, step, {
      toolCall,
      answer: rest as Answer,
      preliminary,
    })
    return { ...toolCall, ...answer } as ToolResult
  }

  /** Shows all results of a step to the processors. Returns the answer with which one of them ends the loop, if so. */
  async processToolStep(
    toolResults: readonly ToolResult[],
  ): Promise<{ finish: true; text: string } | undefined> {
    const step = this.#currentStep()
    step.state.toolResults = [...toolResults]
    step.state.answered = toolResults.length
    const answer = await processToolStep(this.#run, step)
    return answer && { finish: true, text: answer.text }
  }

  /** Shows the finished answer to the processors: all that was streamed, or the given text. */
  async processOutputResult(text?: string): Promise<{ text: string; messages: Message[] }> {
    const step = this.#currentStep()
    if (text !== undefined) writeResponse(this.#run, step, { text })
    await reviewResult(this.#run, step)
    return { text: step.state.text, messages: this.#run.messageList.get('response') }
  }

  /** Takes one chunk to the caller. Returns the chunks to show in its place. */
  async processDelivery(chunk: Chunk): Promise<readonly Chunk[]>
  /** Takes a result to the caller. */
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
   * Resolves when what hooks started with `waitUntil` is done.
   *
   * @throws MillraceError `PROCESSOR_FAILED` if some of it has failed
   */
  async close(): Promise<void> {
    const [failure] = await this.#settle()
    if (!failure) return
    const { processorId, hook, error } = failure
    throw new MillraceError(
      'PROCESSOR_FAILED',
      `Background work that the processor '${processorId}' started in ${hook} failed: ${error.name}. The cause says why.`,
      { cause: error },
    )
  }

  #compile(): void {
    this.#compiled = compilePipeline({ processors: this.#entries })
    this.#delivery = undefined
    // What an agent does on the way to its caller is a method of its own here.
    this.#run.begin({ ...this.#compiled, processDelivery: null })
  }

  #currentStep(): Step {
    this.#step ??= new Step(this.#run.steps.length)
    return this.#step
  }

  /** A step that has a response is over. */
  #nextStep(): Step {
    if (this.#step?.state.wrote) this.#run.accept(this.#step)
    if (this.#step?.state.wrote || this.#step?.state.settings) this.#step = undefined
    return this.#currentStep()
  }

  #openOutput(step: Step): StepOutput {
    const output = new StepOutput(this.#run, step)
    // Calls are not executed here, so there is nothing to hold them for.
    step.state.held = null
    return output
  }
}

function listOf(passed: Passed): readonly Chunk[] {
  if (passed === undefined) return []
  return Array.isArray(passed) ? passed : [passed as Chunk]
}

async function untrusted(input: Exclude<AgentInput, string>): Promise<ParsedInput> {
  const { readUntrusted } = await import('../ui/client-messages.ts')
  return readUntrusted(checkList(input))
}
