import type { JSONObject } from '@ai-sdk/provider'
import type { MessagePart, ProviderMetadata } from '../messages/message.ts'
import type { FinishReason, HaltInfo, Rejection } from './outcome.ts'

interface WithMetadata {
  providerMetadata?: ProviderMetadata
}

interface ToolCallChunk extends WithMetadata {
  toolCallId: string
  toolName: string
  providerExecuted?: boolean
  toolMetadata?: JSONObject
  dynamic?: boolean
  title?: string
}

interface ToolOutputChunk extends WithMetadata {
  toolCallId: string
  providerExecuted?: boolean
  dynamic?: boolean
}

/**
 * The chunks of the AI SDK's UI message stream protocol, version 1, that a run emits. Structural types, so that core
 * does not depend on `ai`.
 */
export type UIMessageChunk =
  | { type: 'start'; messageId?: string; messageMetadata?: unknown }
  | { type: 'start-step' }
  | (WithMetadata & { type: 'text-start'; id: string })
  | (WithMetadata & { type: 'text-delta'; id: string; delta: string })
  | (WithMetadata & { type: 'text-end'; id: string })
  | (WithMetadata & { type: 'reasoning-start'; id: string })
  | (WithMetadata & { type: 'reasoning-delta'; id: string; delta: string })
  | (WithMetadata & { type: 'reasoning-end'; id: string })
  | (ToolCallChunk & { type: 'tool-input-start'; inputEncoding?: 'json' | 'text' })
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | (ToolCallChunk & { type: 'tool-input-available'; input: unknown })
  | (ToolCallChunk & { type: 'tool-input-error'; input: unknown; errorText: string })
  | {
      type: 'tool-approval-request'
      approvalId: string
      toolCallId: string
      reason?: string
      isAutomatic?: boolean
    }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | (ToolOutputChunk & { type: 'tool-output-available'; output: unknown; preliminary?: boolean })
  | (ToolOutputChunk & { type: 'tool-output-error'; errorText: string })
  | { type: 'tool-output-denied'; toolCallId: string }
  | (WithMetadata & { type: 'file' | 'reasoning-file'; url: string; mediaType: string })
  | (WithMetadata & { type: 'source-url'; sourceId: string; url: string; title?: string })
  | (WithMetadata & {
      type: 'source-document'
      sourceId: string
      mediaType: string
      title: string
      filename?: string
    })
  | (WithMetadata & { type: 'custom'; kind: `${string}.${string}` })
  | UIDataChunk
  /** Discards what the current step has added to the message. */
  | { type: 'reset-step' }
  | { type: 'finish-step' }
  | { type: 'message-metadata'; messageMetadata: unknown }
  | { type: 'error'; errorText: string }
  | { type: 'abort' }
  | { type: 'finish'; finishReason?: FinishReason; messageMetadata?: unknown }

/** A `data-*` part: a processor's own, or one of {@link RunDataParts}. */
export interface UIDataChunk {
  type: `data-${string}`
  id?: string
  data: unknown
  transient?: boolean
}

/**
 * The `data-*` parts of a run, by name, for what the AI SDK has no chunk for. For the client's types:
 * `useChat<UIMessage<unknown, RunDataParts>>()`.
 */
export type RunDataParts = {
  /** A processor has aborted the run. */
  tripwire: Pick<Rejection, 'reason'> & Partial<Pick<Rejection, 'processorId' | 'hook' | 'metadata'>>
  /** A processor has answered in the model's place. The answer is the text before this part. */
  halt: Partial<HaltInfo>
  /** The run is suspended. `resumed` is set once it was resumed. The id of the part is the run's id. */
  suspended: {
    runId: string
    payload: unknown
    processorId?: string
    hook?: string
    toolCallId?: string
    resumed?: true
  }
  /**
   * Processors have changed an earlier step after it was streamed, which the protocol cannot correct. Show these parts
   * in place of the parts of the message before this one.
   */
  'response-replaced': { parts: MessagePart[] }
}
