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
 * What the AI SDK's chat clients read, version 1 of its stream protocol: those of its chunks that a run gives rise to.
 * Structural, so that core needs no `ai`.
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
  /** Takes back what the current step has added to the message. */
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
 * The `data-*` parts by which a run tells a chat client what the AI SDK has no chunk for, by name. For the client's
 * types: `useChat<UIMessage<unknown, RunDataParts>>()`.
 */
export type RunDataParts = {
  /** A processor stopped the run. */
  tripwire: Pick<Rejection, 'reason'> & Partial<Pick<Rejection, 'processorId' | 'hook' | 'metadata'>>
  /** A processor answered in the model's place; the answer is the text before. */
  halt: Partial<HaltInfo>
  /** The run waits; once it is resumed, `resumed` is set. The part's id is the run's. */
  suspended: {
    runId: string
    payload: unknown
    processorId?: string
    hook?: string
    toolCallId?: string
    resumed?: true
  }
  /**
   * Processors changed text of an earlier step after it was streamed, which the protocol cannot take back: these are
   * the parts that stand in the result. Show them in place of the message's own.
   */
  'response-replaced': { parts: MessagePart[] }
}
