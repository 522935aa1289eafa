import {
  type Chunk,
  callOptions,
  MillraceError,
  type OptionNames,
  PerRun,
  type ProcessOutputResultArgs,
  type ProcessOutputStepArgs,
  type Processor,
  type ProcessorArgs,
  requireOptions,
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
   * A function that receives lines, or the path of a file. The file is readable only by its owner (0600), and
   * must not be a symbolic link.
   */
  readonly sink: string | LineSink
  /** `false` records roles, lengths, tool names, models and usage, but no content. Default: `true`. */
  readonly content?: boolean
  /** `'skip'` continues the run if the processor fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const TRANSCRIPT_RECORDER_OPTIONS: OptionNames<TranscriptRecorderOptions> = {
  id: 'optional',
  sink: 'required',
  content: 'optional',
  onError: 'optional',
}

/** The state of a run. JSON. */
interface RecorderState {
  run?: string
}

/** If this many lines are waiting, runs wait for the sink. */
const MAX_PENDING = 1_000

/**
 * Records runs as JSON lines: each prompt that the model receives, each response, and the conversation at the
 * end. `replay` reads them. It records what reaches its position in the list, so put it last, after all
 * guards. Only the new messages of a prompt are recorded, so the file grows linearly with a run.
 *
 * Runs do not wait for the sink, unless 1,000 lines are waiting. If a line cannot be written, the agent emits
 * `background-error`.
 */
export class TranscriptRecorder implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #withContent: boolean
  readonly #queue: LineQueue
  /**
   * The last prompt and tools of each run as JSON, by its state object. A resumed run records the whole
   * prompt again.
   */
  readonly #sent = new PerRun<{ prompt: readonly string[]; tools: string }>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: TranscriptRecorderOptions) {
    const {
      id = 'transcript-recorder',
      sink,
      content = true,
      onError = 'fail',
    } = requireOptions('TranscriptRecorder', options, TRANSCRIPT_RECORDER_OPTIONS)
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

  /** Resolves when all lines recorded so far are written or have failed. */
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
    return this.#queue.pending > MAX_PENDING ? this.#queue.flush() : undefined
  }
}
