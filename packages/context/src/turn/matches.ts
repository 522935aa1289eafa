/** The maximum number of references of one kind that are read in a text. */
export const MAX_REFERENCES = 1_000

/** The first matches of a pattern with the flag `g`. */
export function firstMatches(text: string, pattern: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  for (const match of text.matchAll(pattern)) {
    found.push(match)
    if (found.length === MAX_REFERENCES) break
  }
  return found
}
