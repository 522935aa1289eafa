/** What becomes of a text, unit by unit and in order. Every unit is passed or skipped once. */
export interface TextEdits {
  /** The next units stay as they are. */
  pass(units: number): void
  /** This text stands here, before the next unit. */
  insert(text: string): void
  /** The next units are left out. */
  skip(units: number): void
}

/** A change to a text, in UTF-16 units of it. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly insert: string
}

/**
 * Texts that are one, with edits made that are in order and do not overlap. What is inserted goes where an edit begins;
 * what it leaves out of later texts is gone.
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

/** Whether an edit meets one of those in a list. */
export function overlaps(edits: readonly Edit[], { start, end }: Edit): boolean {
  return edits.some((edit) => edit.start < end && start < edit.end)
}
