import {
  type Chunk,
  callOptions,
  MillraceError,
  type ProcessOutputResultArgs,
  type ProcessOutputStepArgs,
  type Processor,
  type ProcessorArgs,
  resolveModel,
  type WrapModelCallArgs,
} from '@millrace/core'
import { toJsonLine } from './json-line.ts'
import { fileSink, LineQueue, type LineSink } from './line-sink.ts'
import type { CallEntry, EndEntry, ResponseEntry } from './transcript-entry.ts'

export interface TranscriptRecorderOptions {
  /** Identifies the processor in results, events and errors. Default: `'transcript-recorder'`. */
  readonly id?: string
  /**
   * A function that takes a line, or the path of a file, which only its owner can read (0600) and which is no link.
   */
  readonly sink: string | LineSink
  /** `false` records roles, lengths, names of tools, models and usage, and nothing that was said. Default: `true`. */
  readonly content?: boolean
  /** `'skip'` continues the run without the processor if it fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

/** What is known of a run. It is JSON. */
interface RecorderState {
  run?: string
}

/** Runs wait for the sink when so many lines wait. */
const MOST_PENDING = 1_000

/**
 * Records runs as JSON lines: each prompt as the model gets it, each response, and the conversation at the end. `replay` reads
 * them again. It records what comes to its place in the list: put it last, behind all guards. A prompt is recorded by what is
 * new in it, so a run takes space in proportion to its length.
 *
 * Runs do not wait for the sink, unless 1,000 lines do. A line that cannot be written is an event `background-error` of the agent.
 */
export class TranscriptRecorder implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #withContent: boolean
  readonly #queue: LineQueue
  /** By the state of a run: its last prompt and tools as JSON. A resumed run is recorded whole again. */
  readonly #sent = new WeakMap<object, { prompt: readonly string[]; tools: string }>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor({
    id = 'transcript-recorder',
    sink,
    content = true,
    onError = 'fail',
  }: TranscriptRecorderOptions) {
    if (sink === '' || (typeof sink !== 'string' && typeof sink !== 'function')) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `sink is ${sink === '' ? 'empty' : `of type ${typeof sink}`}. Use a function that takes a line, or the path of a file.`,
      )
    }
    this.id = id
    this.onError = onError
    this.#withContent = content
    this.#queue = new LineQueue(typeof sink === 'string' ? fileSink(sink) : sink)
  }

  /** Resolves when everything recorded so far is written, or has failed. */
  flush(): Promise<void> {
    return this.#queue.flush()
  }

  async wrapModelCall(args: WrapModelCallArgs): Promise<AsyncIterable<Chunk>> {
    const { request, next, stepNumber, state, abortSignal } = args
    const { provider, modelId } = await resolveModel(request.model)
    const { tools = [] } = await callOptions(request, abortSignal)
    const before = this.#sent.get(state)
    const prompt = request.prompt.map(toJsonLine)
    const described = toJsonLine(tools)
    this.#sent.set(state, { prompt, tools: described })
    let keep = 0
    while (keep < prompt.length && prompt[keep] === before?.prompt[keep]) keep++
    const added = request.prompt.slice(keep)
    const hasOtherTools = described !== before?.tools
    await this.#add(args, {
      type: 'call',
      stepNumber,
      provider,
      modelId,
      keep,
      ...(this.#withContent
        ? { prompt: added, ...(hasOtherTools && { tools }) }
        : {
            lengths: added.map(({ role }, index) => ({
              role,
              characters: prompt[keep + index]?.length ?? 0,
            })),
            ...(hasOtherTools && { toolNames: tools.map(({ name }) => name) }),
          }),
    })
    return next(request)
  }

  async processOutputStep(args: ProcessOutputStepArgs): Promise<undefined> {
    const { stepNumber, finishReason, usage, text, toolCalls, incomplete } = args
    if (incomplete) return
    await this.#add(args, {
      type: 'response',
      stepNumber,
      finishReason,
      usage,
      ...(this.#withContent
        ? { text, toolCalls }
        : { characters: text.length, toolNames: toolCalls.map(({ toolName }) => toolName) }),
    })
  }

  async processOutputResult(args: ProcessOutputResultArgs): Promise<undefined> {
    const { messageList, result, incomplete } = args
    if (incomplete) return
    const messages = messageList.get().filter(({ id }) => messageList.originOf(id) !== 'context')
    await this.#add(args, {
      type: 'end',
      finishReason: result.finishReason,
      usage: result.usage,
      ...(this.#withContent ? { messages } : { messageCount: messages.length }),
    })
  }

  #add(args: ProcessorArgs, entry: CallEntry | ResponseEntry | EndEntry): Promise<void> | undefined {
    const state = args.state as RecorderState
    const { threadId, resourceId } = args.requestContext
    state.run ??= crypto.randomUUID()
    const head = {
      version: 1,
      run: state.run,
      at: new Date().toISOString(),
      ...(threadId !== undefined && { threadId }),
      ...(resourceId !== undefined && { resourceId }),
    }
    args.waitUntil(this.#queue.add(`${toJsonLine({ ...head, ...entry })}\n`))
    return this.#queue.pending > MOST_PENDING ? this.#queue.flush() : undefined
  }
}
