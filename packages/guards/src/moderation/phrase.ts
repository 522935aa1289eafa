import type { ModerationCategory } from './categories.ts'

/** A phrase to find in folded text without accents. The pattern must run in linear time. */
export interface Phrase {
  readonly category: ModerationCategory
  readonly pattern: RegExp
}
