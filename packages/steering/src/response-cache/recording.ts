import type { Chunk, MessageList, StepFinishChunk, Usage } from '@millrace/core'
import { isToolPart } from '@millrace/core'

/** The version of the stored format. Entries of other versions are ignored. */
const FORMAT_VERSION = 1

/**
 * Records a response for the cache. Whether it is complete is decided by the chunks of the model; what is stored is
 * those chunks as the hooks before the cache have changed them.
 */
export class Recording {
  readonly #maxLength: number
  #chunks: string[] = []
  #length = 0
  #isUsable = true
  #end: string | undefined

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Reads a chunk as the model sent it. */
  watch(chunk: Chunk): void {
    if (this.#end !== undefined || !isCacheable(chunk)) this.#discard()
    else if (chunk.type === 'step-finish') this.#end = this.#jsonOf(chunk)
  }

  /** Serializes a chunk at once, since hooks may change it later. */
  add(chunk: Chunk): void {
    if (!this.#isUsable || !isFromModel(chunk)) return
    const json = this.#jsonOf(chunk)
    if (json !== undefined) this.#chunks.push(json)
  }

  /** The serialized response; undefined if it was interrupted, truncated, failed or is too long. */
  get entry(): string | undefined {
    // A response without content is not stored.
    if (!this.#isUsable || this.#end === undefined || this.#chunks.length === 0) return undefined
    return `{"form":${FORMAT_VERSION},"chunks":[${[...this.#chunks, this.#end].join(',')}]}`
  }

  #jsonOf(chunk: Chunk): string | undefined {
    const json = toJson(chunk)
    this.#length += json?.length ?? 0
    if (json === undefined || this.#length > this.#maxLength) this.#discard()
    return json
  }

  #discard(): void {
    this.#isUsable = false
    this.#chunks = []
  }
}

/** Whether a chunk comes from the model, not from the run or a tool of the agent. */
function isFromModel(chunk: Chunk): boolean {
  switch (chunk.type) {
    case 'start':
    case 'step-start':
    case 'object-delta':
    case 'response-end':
    case 'step-finish':
    case 'finish':
      return false
    case 'tool-result':
    case 'tool-error':
    case 'tool-denied':
      return chunk.providerExecuted === true
    default:
      return !chunk.type.startsWith('data-')
  }
}

function isCacheable(chunk: Chunk): boolean {
  switch (chunk.type) {
    case 'error':
    case 'abort':
    case 'tool-error':
    case 'step-discarded':
      return false
    case 'tool-call':
      return chunk.inputError === undefined
    case 'step-finish':
      return chunk.finishReason === 'stop' || chunk.finishReason === 'tool-calls'
    default:
      return true
  }
}

function toJson(chunk: Chunk): string | undefined {
  try {
    return JSON.stringify(chunk)
  } catch {
    return undefined
  }
}

/** The chunks of an entry; undefined if it is invalid. */
export function chunksOf(entry: string): Chunk[] | undefined {
  try {
    const { form, chunks } = JSON.parse(entry) as { form?: unknown; chunks?: unknown }
    if (form !== FORMAT_VERSION || !Array.isArray(chunks)) return undefined
    const last: unknown = chunks.at(-1)?.type
    return last === 'step-finish' && chunks.every(({ type }) => typeof type === 'string') ? chunks : undefined
  } catch {
    return undefined
  }
}

/** Replays a stored response in this step: without usage, and with call ids that are new in the transcript. */
export function* replay(
  chunks: readonly Chunk[],
  { stepNumber, messageList }: { stepNumber: number; messageList: MessageList },
): Generator<Chunk> {
  const ids = new CallIds(messageList)
  for (const chunk of chunks) {
    if (chunk.type === 'step-finish') yield finished(chunk, stepNumber)
    else if ('toolCallId' in chunk && chunk.toolCallId !== undefined)
      yield { ...chunk, toolCallId: ids.of(chunk.toolCallId) }
    else yield chunk
  }
}

class CallIds {
  readonly #used: Set<string>
  readonly #ids = new Map<string, string>()

  constructor(messageList: MessageList) {
    const parts = messageList.get().flatMap(({ content }) => content.parts)
    this.#used = new Set(parts.filter(isToolPart).map(({ toolCallId }) => toolCallId))
  }

  of(recorded: string): string {
    let id = this.#ids.get(recorded)
    if (id === undefined) {
      id = this.#used.has(recorded) ? crypto.randomUUID().replaceAll('-', '') : recorded
      this.#ids.set(recorded, id)
    }
    return id
  }
}

const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  inputTokenDetails: { noCacheTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  outputTokenDetails: { textTokens: 0, reasoningTokens: 0 },
}

function finished(recorded: StepFinishChunk, stepNumber: number): StepFinishChunk {
  const { response, warnings: _, usage, ...chunk } = recorded
  const { inputTokens = 0, outputTokens = 0 } = usage
  return {
    ...chunk,
    stepNumber,
    usage: NO_USAGE,
    providerMetadata: { ...chunk.providerMetadata, millrace: { cached: true, inputTokens, outputTokens } },
    ...(response && {
      response: { ...response, ...(response.timestamp && { timestamp: new Date(response.timestamp) }) },
    }),
  }
}
