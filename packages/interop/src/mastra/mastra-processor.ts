import {
  type Chunk,
  isRecord,
  type MessageList,
  type ModelSettings,
  type OptionNames,
  type ProcessInputStepResult,
  type Processor,
  type ProcessorArgs,
  requireOptions,
  type SystemMessage,
} from '@millrace/core'
import { ADAPTER_OPTIONS, type AdapterOptions, identityOf } from '../adapter/adapter.ts'
import { isBuffered, reviewBuffered } from './buffered-response.ts'
import { OriginalTranscript } from './original-transcript.ts'
import { type Loaded, loadMastra, type PublishedProcessor } from './published-processor.ts'
import { checkPublished } from './refusals.ts'

/** Options of {@link mastraProcessor}. */
export interface MastraProcessorOptions extends AdapterOptions {
  /** The Mastra instance, for processors that are registered with one. */
  mastra?: unknown
}

const MASTRA_PROCESSOR_OPTIONS: OptionNames<MastraProcessorOptions> = {
  ...ADAPTER_OPTIONS,
  mastra: 'optional',
}

type HookArgs = ProcessorArgs & { messageList: MessageList; abort: AbortOrRetry }
type AbortOrRetry = (reason?: string, options?: { retry?: boolean; metadata?: unknown }) => never

/**
 * Runs a processor written for Mastra, with Mastra's own lists, messages, chunks and contexts. It fails
 * closed: if the processor throws, the run fails, and an abort counts even if the processor catches it. Its
 * stream hook receives the text of a step as one chunk, because a match could be split between several. The
 * answer is therefore sent at its end.
 *
 * Needs `@mastra/core`.
 *
 * @throws MillraceError `CONFIG_INVALID` for a processor that would let content pass unguarded here, or
 *   cannot run; the message says why, and what to use instead
 */
export function mastraProcessor(published: object, given: MastraProcessorOptions = {}): Processor {
  const options = requireOptions('mastraProcessor()', given, MASTRA_PROCESSOR_OPTIONS)
  const processor = published as PublishedProcessor
  checkPublished(processor, options.mastra)
  if (options.mastra !== undefined) processor.__registerMastra?.(options.mastra)
  return {
    ...identityOf(options, processor.id),
    ...(processor.processInput && inputHook(processor)),
    ...(processor.processInputStep && inputStepHook(processor)),
    ...(processor.processLLMRequest && requestHook(processor)),
    ...(processor.processAPIError && errorHook(processor)),
    ...(processor.processOutputStream && streamHook(processor)),
    ...(processor.processOutputStep && outputStepHook(processor)),
    ...(processor.processToolResult && toolResultHook(processor)),
    ...(processor.processOutputResult && outputResultHook(processor)),
  } as Processor
}

function inputHook(processor: PublishedProcessor): Pick<Processor, 'processInput'> {
  return {
    async processInput({ systemMessages, ...args }) {
      const call = await Call.of(args, systemMessages)
      const { list } = call.transcript
      const returned = await call.run((shared) =>
        processor.processInput?.({
          ...shared,
          messages: list.get.all.db(),
          messageList: list,
          systemMessages: [...systemMessages],
        }),
      )
      const left = call.transcript.read(returned)
      return { messages: left.messages, systemMessages: left.systemMessages ?? systemMessages }
    },
  }
}

/** The supported keys of a step's result. Other keys are an error, because they would be ignored silently. */
const STEP_KEYS: ReadonlySet<string> = new Set([
  'messages',
  'messageList',
  'systemMessages',
  'model',
  'toolChoice',
  'activeTools',
  'providerOptions',
  'modelSettings',
])

function inputStepHook(processor: PublishedProcessor): Pick<Processor, 'processInputStep'> {
  return {
    async processInputStep({ systemMessages, ...args }) {
      const { stepNumber, steps, model, tools, activeTools, toolChoice, providerOptions, modelSettings } =
        args
      const call = await Call.of(args, systemMessages)
      const { list } = call.transcript
      const returned = await call.run((shared) =>
        processor.processInputStep?.({
          ...shared,
          messages: list.get.all.db(),
          messageList: list,
          systemMessages: [...systemMessages],
          stepNumber,
          steps: [...steps],
          model,
          tools: { ...tools },
          activeTools,
          toolChoice,
          providerOptions,
          modelSettings: toMastraSettings(modelSettings),
        }),
      )
      const left = call.transcript.read(returned)
      const settings: Record<string, unknown> = {}
      for (const [key, returned] of Object.entries(left.rest)) {
        const value = key === 'modelSettings' ? fromMastraSettings(returned, modelSettings) : returned
        if (value === undefined || isSame(value, (args as Record<string, unknown>)[key])) continue
        if (!STEP_KEYS.has(key)) throw unsupported(processor, 'processInputStep', key)
        settings[key] = value
      }
      return {
        ...settings,
        messages: left.messages,
        systemMessages: left.systemMessages ?? systemMessages,
      } as ProcessInputStepResult
    },
  }
}

/** Mastra's documents have `maxTokens`, its newer versions `maxOutputTokens`: a processor gets both. */
function toMastraSettings(settings: ModelSettings): Record<string, unknown> {
  const { maxOutputTokens } = settings
  return { ...settings, ...(maxOutputTokens !== undefined && { maxTokens: maxOutputTokens }) }
}

/** The one that the processor has changed counts. */
function fromMastraSettings(returned: unknown, { maxOutputTokens }: ModelSettings): unknown {
  if (!isRecord(returned)) return returned
  const { maxTokens, ...settings } = returned
  return maxTokens === undefined || maxTokens === maxOutputTokens
    ? settings
    : { ...settings, maxOutputTokens: maxTokens }
}

function requestHook(processor: PublishedProcessor): Pick<Processor, 'wrapModelCall'> {
  return {
    async wrapModelCall({ request, next, stepNumber, steps, ...args }) {
      const call = await Call.of({ ...args, abort: args.abort as AbortOrRetry }, [])
      const returned = (await call.run((shared) =>
        processor.processLLMRequest?.({
          ...shared,
          prompt: request.prompt,
          model: request.model,
          stepNumber,
          steps: [...steps],
        }),
      )) as { prompt?: typeof request.prompt; response?: unknown } | undefined
      if (returned?.response !== undefined) throw unsupported(processor, 'processLLMRequest', 'response')
      return next(returned?.prompt ? { ...request, prompt: returned.prompt } : request)
    },
  }
}

function errorHook(processor: PublishedProcessor): Pick<Processor, 'processModelError'> {
  return {
    async processModelError({ error, request, attempt, stepNumber, ...args }) {
      const call = await Call.of({ ...args, abort: args.abort as AbortOrRetry }, [])
      const { list } = call.transcript
      const returned = (await call.run((shared) =>
        processor.processAPIError?.({
          ...shared,
          error: error.cause ?? error,
          messages: list.get.all.db(),
          messageList: list,
          stepNumber,
          steps: [],
          retryCount: attempt - 1,
        }),
      )) as { retry?: boolean } | undefined
      if (returned?.retry !== true) return
      const left = call.transcript.read(list)
      if (!left.isChanged) return { retry: true }
      const system = request.prompt.filter(({ role }) => role === 'system')
      const messages = await args.messageList.toPrompt({ messages: left.messages })
      return { retry: true, request: { prompt: [...system, ...messages] } }
    },
  }
}

function streamHook(processor: PublishedProcessor): Pick<Processor, 'processOutputStream'> {
  return {
    processOutputStream({ part, state, messageList, ...args }) {
      if (part.type === 'step-start') state.held = []
      const held = state.held as Chunk[] | undefined
      if (part.type === 'response-end' && held) {
        // Later chunks, such as tool results, are not part of the response.
        state.held = undefined
        return show(held, [part])
      }
      if (!isBuffered(part)) return part
      if (!held) return show([part])
      held.push(part)
      return []

      async function show(chunks: readonly Chunk[], after: Chunk[] = []): Promise<Chunk[]> {
        const call = await Call.of({ ...args, state, messageList }, [])
        const { list } = call.transcript
        const left = await reviewBuffered(chunks, call.own, (mastraPart, streamParts) =>
          call.run((shared) =>
            processor.processOutputStream?.({ ...shared, part: mastraPart, streamParts, messageList: list }),
          ),
        )
        return [...left, ...after]
      }
    },
  }
}

function outputStepHook(processor: PublishedProcessor): Pick<Processor, 'processOutputStep'> {
  return {
    async processOutputStep({ systemMessages, ...args }) {
      const { finishReason, toolCalls, text, usage, stepNumber } = args
      const call = await Call.of(args, systemMessages)
      const { list } = call.transcript
      const returned = await call.run((shared) =>
        processor.processOutputStep?.({
          ...shared,
          messages: list.get.all.db(),
          messageList: list,
          systemMessages: [...systemMessages],
          stepNumber,
          finishReason,
          toolCalls: toolCalls.map(({ toolCallId, toolName, input }) => ({
            toolCallId,
            toolName,
            args: input,
          })),
          text,
          usage,
          steps: [],
        }),
      )
      return call.transcript.read(returned).responses
    },
  }
}

function toolResultHook(processor: PublishedProcessor): Pick<Processor, 'processToolResult'> {
  return {
    async processToolResult({ toolCall, status, output, preliminary, stepNumber, ...args }) {
      // Mastra only passes successful results. A processor that inspects results receives errors and streams
      // as such, too.
      const result = status === 'success' ? output : args.error
      if (result === undefined) return undefined
      const { toolCallId, toolName, input } = toolCall
      const call = await Call.of({ ...args, abort: args.abort as AbortOrRetry }, [], { toolCall, result })
      const { list } = call.transcript
      const returned = await call.run((shared) =>
        processor.processToolResult?.({
          ...shared,
          messages: list.get.all.db(),
          messageList: list,
          systemMessages: [],
          stepNumber,
          toolName,
          toolCallId,
          args: input,
          result,
          steps: [],
        }),
      )
      const left = call.transcript.resultIn(returned, toolCallId)
      if (isSame(left, result)) return undefined
      return status === 'success' ? { output: left } : { error: String(left) }
    },
  }
}

function outputResultHook(processor: PublishedProcessor): Pick<Processor, 'processOutputResult'> {
  return {
    async processOutputResult({ result, ...args }) {
      const call = await Call.of(args, [])
      const { list } = call.transcript
      const { text, usage, finishReason, steps } = result
      const returned = await call.run((shared) =>
        processor.processOutputResult?.({
          ...shared,
          messages: list.get.response.db(),
          messageList: list,
          result: { text, usage, finishReason, steps: [...steps] },
        }),
      )
      return call.transcript.read(returned, 'response').responses
    },
  }
}

/** One call of a Mastra hook. */
class Call {
  readonly transcript: OriginalTranscript
  readonly #loaded: Loaded
  readonly #args: HookArgs
  #raised: { message: string; options?: { retry?: boolean; metadata?: unknown } } | undefined

  private constructor(loaded: Loaded, args: HookArgs, transcript: OriginalTranscript) {
    this.#loaded = loaded
    this.#args = args
    this.transcript = transcript
  }

  static async of(
    args: HookArgs,
    systemMessages: readonly SystemMessage[],
    result?: { toolCall: { toolCallId: string }; result: unknown },
  ): Promise<Call> {
    const loaded = await loadMastra()
    const transcript = new OriginalTranscript(loaded.MessageList, args.messageList, {
      systemMessages,
      result,
    })
    return new Call(loaded, args, transcript)
  }

  /** The processor's own state in this run. */
  get own(): Record<string, unknown> {
    const { state } = this.#args
    state.mastra ??= {}
    return state.mastra as Record<string, unknown>
  }

  /** Runs the hook. A tripwire of Mastra becomes an abort, even if the processor caught it. */
  async run(hook: (shared: Record<string, unknown>) => unknown): Promise<unknown> {
    const { TripWire, RequestContext } = this.#loaded
    const { requestContext, abortSignal, retryCount, writer, abort } = this.#args
    let returned: unknown
    try {
      returned = await hook({
        state: this.own,
        abortSignal,
        retryCount,
        requestContext: sharedContext(new RequestContext([]), requestContext),
        writer: {
          custom: ({ type, data }: { type: `data-${string}`; data: unknown }) => writer.write({ type, data }),
        },
        abort: (reason?: string, options: { retry?: boolean; metadata?: unknown } = {}) => {
          this.#raised ??= { message: reason ?? 'Aborted by a processor.', options }
          throw new TripWire(this.#raised.message, options)
        },
      })
    } catch (error) {
      if (!this.#raised && !(error instanceof TripWire)) throw error
      this.#raised ??= error as { message: string; options?: { retry?: boolean; metadata?: unknown } }
    }
    if (this.#raised) {
      const { message, options = {} } = this.#raised
      const { retry, metadata } = options
      abort(message, { ...(retry !== undefined && { retry }), ...(metadata !== undefined && { metadata }) })
    }
    return returned
  }
}

/** Mastra's context with the values of the request context. */
function sharedContext(context: object, own: ProcessorArgs['requestContext']): object {
  const get = (key: string): unknown => own.get(key)
  return Object.assign(context, {
    get,
    getRaw: get,
    has: (key: string) => own.has(key),
    set: (key: string, value: unknown) => void own.set(key, value),
  })
}

function unsupported(processor: PublishedProcessor, hook: string, key: string): Error {
  return new Error(
    `The Mastra processor '${processor.id}' returned '${key}' from ${hook}, which mastraProcessor() does not support. Use a Millrace processor for it.`,
  )
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
