/** Receives what happens to a text, unit by unit and in order. Every unit passes or is skipped exactly once. */
export interface TextEdits {
  /** The next units stay unchanged. */
  pass(units: number): void
  /** Inserts text before the next unit. */
  insert(text: string): void
  /** The next units are removed. */
  skip(units: number): void
}

/** A change to a text. Positions are in UTF-16 units. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly insert: string
}

/**
 * Applies edits to texts that count as one. The edits are in order and do not overlap. An edit over several texts is
 * inserted into the first of them.
 */
export function editTexts(texts: readonly string[], edits: readonly Edit[]): readonly string[] {
  if (edits.length === 0) return texts
  let next = 0
  let start = 0
  return texts.map((text) => {
    const end = start + text.length
    let out = ''
    let place = start
    while (next < edits.length) {
      const edit = edits[next] as Edit
      const isHere = edit.start < end && edit.end > start
      if (!isHere) break
      if (edit.start >= start) out += text.slice(place - start, edit.start - start) + edit.insert
      place = Math.min(edit.end, end)
      if (edit.end > end) break
      next++
    }
    out += text.slice(place - start)
    start = end
    return out
  })
}

/** Whether an edit overlaps one of a list. */
export function overlaps(edits: readonly Edit[], { start, end }: Edit): boolean {
  return edits.some((edit) => edit.start < end && start < edit.end)
}
