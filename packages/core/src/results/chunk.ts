import type { JSONObject, SharedV4Warning } from '@ai-sdk/provider'
import type { Message, ProviderMetadata } from '../messages/message.ts'
import type { Usage } from '../usage.ts'
import type { FinishReason, HaltInfo, Rejection, RunStatus, StepResponse, SuspensionInfo } from './outcome.ts'

interface WithMetadata {
  providerMetadata?: ProviderMetadata
}

interface ToolCallIdentity extends WithMetadata {
  toolCallId: string
  toolName: string
  providerExecuted?: boolean
  dynamic?: boolean
}

interface ToolCallDisplay {
  /** The tool's own. */
  title?: string
  /** The tool's `metadata`. */
  toolMetadata?: JSONObject
}

/**
 * What a run emits, in order; `response-end` alone is for its hooks. `start` comes first; the last chunk is exactly one of `finish`, `tripwire`, `suspended`,
 * `abort` and `error`. A step begins with `step-start` and ends with `step-finish`; `step-discarded` takes
 * it back, also after its end.
 */
export type Chunk =
  | { type: 'start'; runId: string; messageId: string }
  | { type: 'step-start'; stepNumber: number }
  | (WithMetadata & { type: 'text-start'; id: string })
  | (WithMetadata & { type: 'text-delta'; id: string; textDelta: string })
  | (WithMetadata & { type: 'text-end'; id: string })
  | (WithMetadata & { type: 'reasoning-start'; id: string })
  | (WithMetadata & { type: 'reasoning-delta'; id: string; textDelta: string })
  | (WithMetadata & { type: 'reasoning-end'; id: string })
  /** With `inputEncoding: 'text'` the deltas are the input itself, a string; else they are its JSON. */
  | (ToolCallIdentity & ToolCallDisplay & { type: 'tool-input-start'; inputEncoding?: 'json' | 'text' })
  | (WithMetadata & { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string })
  | (WithMetadata & { type: 'tool-input-end'; toolCallId: string })
  /** `input` is parsed JSON; where the model sent no valid JSON it is the raw string and `inputError` says so. */
  | (ToolCallIdentity & ToolCallDisplay & { type: 'tool-call'; input: unknown; inputError?: string })
  | (ToolCallIdentity & { type: 'tool-result'; input: unknown; output: unknown; preliminary?: boolean })
  | (ToolCallIdentity & { type: 'tool-error'; input: unknown; error: string })
  | (ToolCallIdentity & { type: 'tool-denied'; input: unknown; reason?: string })
  /** `url` is a data URL or a hosted file. */
  | (WithMetadata & { type: 'file' | 'reasoning-file'; mediaType: string; url: string })
  | (WithMetadata & { type: 'source'; sourceType: 'url'; id: string; url: string; title?: string })
  | (WithMetadata & {
      type: 'source'
      sourceType: 'document'
      id: string
      mediaType: string
      title: string
      filename?: string
    })
  | (WithMetadata & { type: 'custom'; kind: `${string}.${string}` })
  /** The structured answer so far. The same object grows from chunk to chunk; copy what you keep. */
  | { type: 'object-delta'; object: unknown }
  | DataChunk
  /** The step was rejected: forget what it emitted. With `retry` it runs again, else the run ends. */
  | { type: 'step-discarded'; stepNumber: number; retry: boolean; reason?: string; processorId?: string }
  | StepFinishChunk
  /**
   * The model's response is complete: no more text of it comes. For `processOutputStream` only, in which it is the moment to
   * return what is still held back; it is never emitted.
   */
  | { type: 'response-end'; stepNumber: number }
  /** Processors changed text after it was streamed: these are the messages and the text that stand in the result. */
  | { type: 'response-replaced'; messages: Message[]; text: string }
  | ({ type: 'tripwire' } & Rejection)
  /** A processor answered in the model's place: the answer comes before, `finish` after. */
  | ({ type: 'halt' } & HaltInfo)
  | ({ type: 'suspended' } & SuspensionInfo)
  | { type: 'error'; error: unknown }
  | { type: 'abort'; reason: unknown }
  | { type: 'finish'; status: RunStatus; finishReason: FinishReason; usage: Usage }

/** @deprecated The older name of {@link Chunk}. */
export type ChunkType = Chunk

/** The chunk of a type, or of several. */
export type ChunkOf<TYPE extends Chunk['type']> = Extract<Chunk, { type: TYPE }>

/** The end of a step; in what a model call gives, the end of its response. */
export interface StepFinishChunk extends WithMetadata {
  type: 'step-finish'
  stepNumber: number
  finishReason: FinishReason
  usage: Usage
  response?: StepResponse
  warnings?: SharedV4Warning[]
}

/** Application data, written by a processor. */
export interface DataChunk {
  type: `data-${string}`
  id?: string
  data: unknown
  /** For the stream only; not for the transcript of a chat client. */
  transient?: boolean
}

/** Chunks that hold a stream together. A processor may change them, but returning nothing does not drop them. */
export function isStructural(chunk: Chunk): boolean {
  switch (chunk.type) {
    case 'step-start':
    case 'step-finish':
    case 'response-end':
    case 'finish':
      return true
    default:
      return isPartMark(chunk)
  }
}

/** Where a part of text or reasoning begins or ends. A stream hook may hold it back and return it later. */
export function isPartMark({ type }: Chunk): boolean {
  switch (type) {
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      return true
    default:
      return false
  }
}
