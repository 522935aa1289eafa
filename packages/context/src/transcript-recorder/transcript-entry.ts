import type { FinishReason, LanguageModelV4, Message, ToolCall, Usage } from '@millrace/core'

export type Prompt = Parameters<LanguageModelV4['doStream']>[0]['prompt']

/** The definition of a tool, as it is sent. */
export type ToolDefinition = NonNullable<Parameters<LanguageModelV4['doStream']>[0]['tools']>[number]

/** What every line says. */
interface EntryHead {
  readonly version: 1
  /** Names the run in this transcript. */
  readonly run: string
  /** ISO 8601. */
  readonly at: string
  readonly threadId?: string
  readonly resourceId?: string
}

/** A line of a transcript. Without content there are lengths in the place of what was said. */
export type TranscriptEntry = EntryHead & (CallEntry | ResponseEntry | EndEntry)

/** What the model was asked. */
export interface CallEntry {
  readonly type: 'call'
  readonly stepNumber: number
  readonly provider: string
  readonly modelId: string
  /** So many messages are those of the run's call before. */
  readonly keep: number
  /** The messages after them. */
  readonly prompt?: Prompt
  /** Where they are others than in the call before. */
  readonly tools?: readonly ToolDefinition[]
  /** Without content. */
  readonly toolNames?: readonly string[]
  readonly lengths?: readonly { readonly role: string; readonly characters: number }[]
}

/** What the model answered, as the processors have left it. */
export interface ResponseEntry {
  readonly type: 'response'
  readonly stepNumber: number
  readonly finishReason: FinishReason
  readonly usage: Usage
  readonly text?: string
  readonly toolCalls?: readonly ToolCall[]
  /** Without content. */
  readonly characters?: number
  readonly toolNames?: readonly string[]
}

/** The conversation when the run had its answer, without what was added for the run alone. */
export interface EndEntry {
  readonly type: 'end'
  readonly finishReason: FinishReason
  readonly usage: Usage
  readonly messages?: readonly Message[]
  /** Without content. */
  readonly messageCount?: number
}
