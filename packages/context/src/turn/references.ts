import { findMentions } from '../file-mentions/find-mentions.ts'
import { findMemories } from '../memory-imports/find-memories.ts'
import { findPlaceholders } from '../prompt-arguments/find-placeholders.ts'
import { findSubstitutions } from '../shell-commands/find-substitutions.ts'
import { MAX_REFERENCES } from './matches.ts'
import { withoutCode } from './without-code.ts'

/**
 * All references in a text that the processors of this package would expand, grouped by kind. `undefined` if
 * there are more than the limit.
 */
export function referencesIn(text: string): string[] | undefined {
  const prose = withoutCode(text)
  const found = [findMentions(prose), findMemories(prose), findSubstitutions(prose), findPlaceholders(prose)]
  if (found.some(({ length }) => length === MAX_REFERENCES)) return undefined
  return found.flat().map(({ start, end }) => text.slice(start, end))
}

/** The text after Unicode compatibility normalization, without invisible characters. */
export function foldedText(text: string): string {
  return text.normalize('NFKC').replace(/[\p{Cf}\p{M}]|(?![\t\n\r])\p{Cc}/gu, '')
}
