import type { LanguageModel, ModelSettings, Processor, Usage } from '@millrace/core'
import type { CountText } from '@millrace/tokens'
import type { TokenShare } from '../window/token-share.ts'

export interface SummarizationOptions {
  /** Identifies the processor in results, events and errors. Default: `'summarization'`. */
  readonly id?: string
  /**
   * How much a prompt has when it is summarized: `{ tokens }`, or `{ fraction }` of what the window leaves for a
   * prompt. Default: `{ fraction: 0.7 }`.
   */
  readonly trigger?: TokenShare
  /** How much of the newest messages and steps stays as it is. Default: `{ fraction: 0.3 }`. */
  readonly keep?: TokenShare
  /** The most tokens of the summary; at most a quarter of the trigger. Default: 4,000. */
  readonly maxTokens?: number
  /** Writes the summary. Default: the model of the step. */
  readonly model?: LanguageModel
  /** Settings of its calls. */
  readonly modelSettings?: ModelSettings
  /** What to record. Default: a few sentences. */
  readonly instructions?: string
  /** For one call, retries included, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number
  /** Processors of its own calls, such as a `CostGuard`. */
  readonly processors?: readonly Processor[]
  /** Counts the tokens of a text. Default: exact for OpenAI's models, else an estimate. */
  readonly countTokens?: CountText
  /** Called for each call of its model, and where older steps are left out. */
  readonly onSummary?: (event: SummarizationEvent) => void
  /** `'skip'` continues the run without the processor if it fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

export interface SummarizationEvent {
  readonly processorId: string
  readonly stepNumber: number
  /**
   * `failed`: the prompt stays as it is, and the model is not asked again for some steps. `left-out`: it cannot stay, so the
   * older steps are left out until they can be summarized.
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
