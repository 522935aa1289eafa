import { findMentions } from '../file-mentions/find-mentions.ts'
import { findMemories } from '../memory-imports/find-memories.ts'
import { findPlaceholders } from '../prompt-arguments/find-placeholders.ts'
import { findSubstitutions } from '../shell-commands/find-substitutions.ts'
import { MOST_REFERENCES } from './matches.ts'
import { withoutCode } from './without-code.ts'

/**
 * All that processors of this package would expand in a text, as it is written, in the order of its kinds. `undefined` where
 * these are more than are read.
 */
export function referencesIn(text: string): string[] | undefined {
  const prose = withoutCode(text)
  const found = [findMentions(prose), findMemories(prose), findSubstitutions(prose), findPlaceholders(prose)]
  if (found.some(({ length }) => length === MOST_REFERENCES)) return undefined
  return found.flat().map(({ start, end }) => text.slice(start, end))
}

/** A text as it is when processors have resolved Unicode's compatibility forms and removed what does not show. */
export function foldedText(text: string): string {
  return text.normalize('NFKC').replace(/[\p{Cf}\p{M}]|(?![\t\n\r])\p{Cc}/gu, '')
}
