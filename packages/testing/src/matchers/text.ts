import type { MatcherState, SyncMatcherResult } from 'vitest'
import { type ChunkLike, textOf } from '../text-of.ts'
import { matches, show, unfit, verdict } from './verdict.ts'

/** The text of a result or of a list of chunks. Takes a string, a regular expression or `expect.stringContaining(…)`. */
export function toHaveText(this: MatcherState, received: unknown, expected: unknown): SyncMatcherResult {
  const text = textIn(received)
  if (text === undefined) throw unfit(this, received, 'a result with a text, or a list of chunks')
  const problem = `expected the text to be ${show(this, expected)}, but it is ${show(this, text)}`
  const negated = `expected the text not to be ${show(this, expected)}, but it is ${show(this, text)}`
  return verdict(matches(this, text, expected) ? undefined : problem, negated, { actual: text, expected })
}

function textIn(received: unknown): string | undefined {
  if (Array.isArray(received)) return textOf(received as ChunkLike[])
  const text = (received as { text?: unknown } | null | undefined)?.text
  return typeof text === 'string' ? text : undefined
}
