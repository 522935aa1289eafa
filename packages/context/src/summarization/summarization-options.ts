import type { LanguageModel, ModelSettings, Processor, Usage } from '@millrace/core'
import type { CountText } from '@millrace/tokens'
import type { TokenShare } from '../window/token-share.ts'

export interface SummarizationOptions {
  /** Default: `summarization`. */
  readonly id?: string
  /**
   * How much a prompt has when its older part is summarised. A fraction is of what the context window leaves for a prompt.
   * Default: `{ fraction: 0.7 }`.
   */
  readonly trigger?: TokenShare
  /** How much of the newest steps and messages stays as it is. Default: `{ fraction: 0.3 }`. */
  readonly keep?: TokenShare
  /** Most tokens of the summary. Default: 4,000, and at most a quarter of the trigger. */
  readonly maxTokens?: number
  /** Summarises. Default: the model of the step. */
  readonly model?: LanguageModel
  readonly modelSettings?: ModelSettings
  /** What to record, in place of the default. It is told how long the record may be, and that it is data. */
  readonly instructions?: string
  /** For one call of the model, retries included, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number
  /** What the calls of the model go through, as runs of the same resource and thread, such as a `CostGuard`. */
  readonly processors?: readonly Processor[]
  /** The tokens of a text. Default: exact for OpenAI's models, an upper estimate for others. */
  readonly countTokens?: CountText
  /** Called for each call of the model, and where older steps are left out because it failed. */
  readonly onSummary?: (event: SummarizationEvent) => void
  readonly onError?: 'fail' | 'skip'
}

export interface SummarizationEvent {
  readonly processorId: string
  readonly stepNumber: number
  /**
   * `failed`: the prompt stays as it is, and the model is not asked again for some steps. `left-out`: it cannot stay, so the
   * older steps are left out until they can be summarised.
   */
  readonly status: 'summarised' | 'failed' | 'left-out'
  /** How many messages and steps it is about. */
  readonly units: number
  /** What they took, with the summary before. */
  readonly tokensBefore: number
  /** What the new summary takes. */
  readonly tokensAfter?: number
  /** What the call used, as far as it is known. */
  readonly usage?: Usage
  /** Why it failed. */
  readonly error?: unknown
}
