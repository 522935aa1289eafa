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
  /** The tool's title. */
  title?: string
  /** The tool's `metadata`. */
  toolMetadata?: JSONObject
}

/**
 * A chunk of a run, in order. `response-end` is only passed to hooks. `start` is first; the last chunk is one of
 * `finish`, `tripwire`, `suspended`, `abort` and `error`. A step begins with `step-start` and ends with
 * `step-finish`; `step-discarded` discards it, also after its end.
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
  /** With `inputEncoding: 'text'` the deltas are the input itself, a string; otherwise its JSON. */
  | (ToolCallIdentity & ToolCallDisplay & { type: 'tool-input-start'; inputEncoding?: 'json' | 'text' })
  | (WithMetadata & { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string })
  | (WithMetadata & { type: 'tool-input-end'; toolCallId: string })
  /** `input` is parsed JSON. If the model sent invalid JSON, it is the raw string and `inputError` is set. */
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
  /** The structured answer so far. The same object grows with each chunk; copy what you keep. */
  | { type: 'object-delta'; object: unknown }
  | DataChunk
  /** The step was rejected: drop what it has emitted. With `retry` it runs again, otherwise the run ends. */
  | { type: 'step-discarded'; stepNumber: number; retry: boolean; reason?: string; processorId?: string }
  | StepFinishChunk
  /**
   * The model's response is complete: no more text of it follows. Passed to `processOutputStream` only, to flush what
   * it holds back; never emitted.
   */
  | { type: 'response-end'; stepNumber: number }
  /**
   * Processors have changed what was already emitted. `messages` is the whole response so far, which replaces it, and
   * `text` the text of its last step. `fromStep` is the first step that was changed. Default: the last.
   */
  | { type: 'response-replaced'; messages: Message[]; text: string; fromStep?: number }
  | ({ type: 'tripwire' } & Rejection)
  /** A processor has answered in the model's place. Emitted between the answer and `finish`. */
  | ({ type: 'halt' } & HaltInfo)
  | ({ type: 'suspended' } & SuspensionInfo)
  | { type: 'error'; error: unknown }
  | { type: 'abort'; reason: unknown }
  | { type: 'finish'; status: RunStatus; finishReason: FinishReason; usage: Usage }

/** @deprecated The older name of {@link Chunk}. */
export type ChunkType = Chunk

/** The chunk of one or several types. */
export type ChunkOf<TYPE extends Chunk['type']> = Extract<Chunk, { type: TYPE }>

/** The end of a step. In a model call, the end of the response. */
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
  /** For the stream only, not for the transcript of a chat client. */
  transient?: boolean
}

/**
 * Whether the chunk is part of the stream's structure. A processor may change it, but returning nothing does not drop
 * it.
 */
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

/** Whether a text or reasoning part begins or ends here. A stream hook may hold the chunk back and return it later. */
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
