import type { FinishReason, LanguageModelV4, Message, ToolCall, Usage } from '@millrace/core'

export type Prompt = Parameters<LanguageModelV4['doStream']>[0]['prompt']

/** The definition of a tool, as it is sent to the provider. */
export type ToolDefinition = NonNullable<Parameters<LanguageModelV4['doStream']>[0]['tools']>[number]

/** The fields of every line. */
interface EntryHead {
  readonly version: 1
  /** The id of the run in this transcript. */
  readonly run: string
  /** ISO 8601. */
  readonly at: string
  readonly threadId?: string
  readonly resourceId?: string
}

/** A line of a transcript. Without content, lengths replace the texts. */
export type TranscriptEntry = EntryHead & (CallEntry | ResponseEntry | EndEntry)

/** A model call. */
export interface CallEntry {
  readonly type: 'call'
  readonly stepNumber: number
  readonly provider: string
  readonly modelId: string
  /** The number of messages that are the same as in the previous call of the run. */
  readonly keep: number
  /** The messages after these. */
  readonly prompt?: Prompt
  /** The tools, if they differ from the previous call. */
  readonly tools?: readonly ToolDefinition[]
  /** Only without content. */
  readonly toolNames?: readonly string[]
  readonly lengths?: readonly { readonly role: string; readonly characters: number }[]
}

/** The model's response, as the processors left it. */
export interface ResponseEntry {
  readonly type: 'response'
  readonly stepNumber: number
  readonly finishReason: FinishReason
  readonly usage: Usage
  readonly text?: string
  readonly toolCalls?: readonly ToolCall[]
  /** Only without content. */
  readonly characters?: number
  readonly toolNames?: readonly string[]
}

/** The conversation at the end of the run, without messages that were added for this run only. */
export interface EndEntry {
  readonly type: 'end'
  readonly finishReason: FinishReason
  readonly usage: Usage
  readonly messages?: readonly Message[]
  /** Only without content. */
  readonly messageCount?: number
}
