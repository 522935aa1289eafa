import { MillraceError, requireCount, requireOneOf } from '@millrace/core'
import { estimateTokens } from './estimate-tokens.ts'
import type { CountTokens } from './fit-text.ts'

/** What all processors that read something in have in common. */
export interface ContextOptions {
  /** Set it if one agent has several of one class. Default: the name of the processor. */
  readonly id?: string
  /**
   * Most tokens that the processor adds to a prompt, with its notes. What does not fit is cut or left out, and the
   * model is told. Default: 4,000.
   */
  readonly maxTokens?: number
  /** Counts the tokens of a text, such as `countTokens` of `@millrace/tokens`. Default: an estimate. */
  readonly countTokens?: CountTokens
  /**
   * What happens if something may not be read: the model is told, or with `'block'` the run is blocked. Default:
   * `'note'`.
   */
  readonly onRefused?: 'note' | 'block'
  /**
   * Called with a `ContextEvent` for everything that is added, cut or refused, with the reason. An error it throws
   * fails the run.
   */
  readonly onContext?: (event: ContextEvent) => void
  /**
   * What happens if the processor itself fails, such as `countTokens`. `'skip'` continues the run without it. Default:
   * `'fail'`.
   */
  readonly onError?: 'fail' | 'skip'
}

/** Something that a processor added to a prompt, or did not. */
export interface ContextEvent {
  readonly processorId: string
  /** Where it is from: a path, a command, the name of a memory. */
  readonly source: string
  /** `cut`: only the beginning was added. */
  readonly status: 'added' | 'cut' | 'refused'
  /** Why it was refused or cut. */
  readonly reason?: string
  /** Of the message that was added. Guards name it in their findings. */
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
