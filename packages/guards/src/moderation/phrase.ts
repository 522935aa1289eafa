import type { ModerationCategory } from './categories.ts'

/** A turn of phrase, over text that is folded, without accents. Run in linear time. */
export interface Phrase {
  readonly category: ModerationCategory
  readonly pattern: RegExp
}
