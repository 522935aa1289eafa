import type { LanguageModel, ModelSettings, OptionNames, Processor, Usage } from '@millrace/core'
import type { CountText } from '@millrace/tokens'
import type { TokenShare } from '../window/token-share.ts'

export interface SummarizationOptions {
  /** Identifies the processor in results, events and errors. Default: `'summarization'`. */
  readonly id?: string
  /**
   * The prompt size at which it is summarized: `{ tokens }`, or a `{ fraction }` of the prompt that fits into
   * the context window. Default: `{ fraction: 0.7 }`.
   */
  readonly trigger?: TokenShare
  /** How much of the newest messages and steps stays word for word. Default: `{ fraction: 0.3 }`. */
  readonly keep?: TokenShare
  /** The maximum number of tokens of the summary; at most a quarter of the trigger. Default: 4,000. */
  readonly maxTokens?: number
  /** The model that writes the summary. Default: the model of the step. */
  readonly model?: LanguageModel
  /** Settings for the calls of this model. */
  readonly modelSettings?: ModelSettings
  /** What the summary must record. Default: a few sentences. */
  readonly instructions?: string
  /** The time limit for one call including retries, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number
  /** Processors for the calls of this model, such as a `CostGuard`. */
  readonly processors?: readonly Processor[]
  /** Counts the tokens of a text. Default: exact for OpenAI's models, otherwise an estimate. */
  readonly countTokens?: CountText
  /** Called after each call of the model, and when older steps are left out. */
  readonly onSummary?: (event: SummarizationEvent) => void
  /** `'skip'` continues the run if the processor fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

export const SUMMARIZATION_OPTIONS: OptionNames<SummarizationOptions> = {
  id: 'optional',
  trigger: 'optional',
  keep: 'optional',
  maxTokens: 'optional',
  model: 'optional',
  modelSettings: 'open',
  instructions: 'optional',
  timeoutMs: 'optional',
  processors: 'optional',
  countTokens: 'optional',
  onSummary: 'optional',
  onError: 'optional',
}

export interface SummarizationEvent {
  readonly processorId: string
  readonly stepNumber: number
  /**
   * `failed`: the prompt is unchanged, and the next attempt is some steps later. `left-out`: the prompt would
   * not fit, so older steps are left out until they can be summarized.
   */
  readonly status: 'summarised' | 'failed' | 'left-out'
  /** The number of messages and steps that are summarized or left out. */
  readonly units: number
  /** Their tokens, including the previous summary. */
  readonly tokensBefore: number
  /** The tokens of the new summary. */
  readonly tokensAfter?: number
  /** The usage of the call, if it is known. */
  readonly usage?: Usage
  /** The error, if the call failed. */
  readonly error?: unknown
}
