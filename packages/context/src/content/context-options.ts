import { MillraceError, type OptionNames, requireCount, requireOneOf } from '@millrace/core'
import { estimateTokens } from './estimate-tokens.ts'
import type { CountTokens } from './fit-text.ts'

/** The common options of all processors that add context. */
export interface ContextOptions {
  /**
   * The id of the processor. Set it if an agent has several processors of one class. Default: the name of the
   * processor.
   */
  readonly id?: string
  /**
   * The maximum number of tokens that the processor adds to a prompt, including its notes. What does not fit
   * is cut or left out, and the model gets a note. Default: 4,000.
   */
  readonly maxTokens?: number
  /** Counts the tokens of a text, such as `countTokens` of `@millrace/tokens`. Default: an estimate. */
  readonly countTokens?: CountTokens
  /**
   * What happens if something may not be read: `'note'` tells the model, `'block'` blocks the run. Default:
   * `'note'`.
   */
  readonly onRefused?: 'note' | 'block'
  /**
   * Called with a `ContextEvent` for everything that is added, cut or refused, with the reason. If it throws,
   * the run fails.
   */
  readonly onContext?: (event: ContextEvent) => void
  /**
   * What happens if the processor itself fails, for example in `countTokens`. `'skip'` continues the run
   * without it. Default: `'fail'`.
   */
  readonly onError?: 'fail' | 'skip'
}

/** The options of processors that refuse nothing. */
export const ADDED_OPTIONS: OptionNames<Omit<ContextOptions, 'onRefused'>> = {
  id: 'optional',
  maxTokens: 'optional',
  countTokens: 'optional',
  onContext: 'optional',
  onError: 'optional',
}

export const CONTEXT_OPTIONS: OptionNames<ContextOptions> = { ...ADDED_OPTIONS, onRefused: 'optional' }

/** Content that a processor added to a prompt, or refused to add. */
export interface ContextEvent {
  readonly processorId: string
  /** Where it comes from: a path, a command, or the name of a memory. */
  readonly source: string
  /** `cut`: only the beginning was added. */
  readonly status: 'added' | 'cut' | 'refused'
  /** Why it was refused or cut. */
  readonly reason?: string
  /** The id of the added message. Guards name it in their findings. */
  readonly messageId?: string
  readonly tokens?: number
}

export interface ContextSettings {
  readonly id: string
  readonly maxTokens: number
  readonly countTokens: CountTokens
  readonly onRefused: 'note' | 'block'
  readonly onContext: ((event: ContextEvent) => void) | undefined
}

/** @throws MillraceError `CONFIG_INVALID` */
export function contextSettings(options: ContextOptions, name: string): ContextSettings {
  const { id = name, maxTokens = 4_000, countTokens = estimateTokens, onRefused = 'note' } = options
  requireCount('maxTokens', maxTokens, 1)
  requireOneOf('onRefused', onRefused, ['note', 'block'])
  if (typeof countTokens !== 'function') {
    throw new MillraceError(
      'CONFIG_INVALID',
      `countTokens is '${String(countTokens)}'. Use a function that counts the tokens of a text.`,
    )
  }
  return { id, maxTokens, countTokens, onRefused, onContext: options.onContext }
}
