import { diffArrays } from 'diff'
import type { DifferencePart } from '../wire.ts'

/** Maximum edit distance: above it, the texts count as completely different, because comparing costs their product. */
const MAX_CHANGES = 600

/** The difference of two texts by words, in order. */
export function differenceOf(before = '', after = ''): DifferencePart[] {
  if (before === after) return before === '' ? [] : [{ type: 'same', text: before }]
  const parts = before === '' || after === '' ? undefined : compared(before, after)
  return parts ?? [...partOf('removed', before), ...partOf('added', after)]
}

function compared(before: string, after: string): DifferencePart[] | undefined {
  const changes = diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: MAX_CHANGES })
  if (!changes) return undefined
  const parts: DifferencePart[] = []
  let removed = ''
  let added = ''
  const flush = (): void => {
    parts.push(...replacement(removed, added))
    removed = ''
    added = ''
  }
  for (const change of changes) {
    const text = change.value.join('')
    if (change.removed) removed += text
    else if (change.added) added += text
    // A space between two changes counts as changed.
    else if (
      /^\s+$/.test(text) &&
      text.length < 3 &&
      (removed !== '' || added !== '') &&
      change !== changes.at(-1)
    ) {
      removed += text
      added += text
    } else {
      flush()
      parts.push({ type: 'same', text })
    }
  }
  flush()
  return joined(parts)
}

/** Splits off the common prefix and suffix, also within a word. */
function replacement(removed: string, added: string): DifferencePart[] {
  const most = Math.min(removed.length, added.length)
  let start = 0
  while (start < most && removed[start] === added[start]) start++
  let end = 0
  while (end < most - start && removed.at(-1 - end) === added.at(-1 - end)) end++
  return [
    ...partOf('same', removed.slice(0, start)),
    ...partOf('removed', removed.slice(start, removed.length - end)),
    ...partOf('added', added.slice(start, added.length - end)),
    ...partOf('same', removed.slice(removed.length - end)),
  ]
}

function joined(parts: readonly DifferencePart[]): DifferencePart[] {
  const out: DifferencePart[] = []
  for (const part of parts) {
    const last = out.at(-1)
    if (last?.type === part.type) last.text += part.text
    else out.push({ ...part })
  }
  return out
}

function partOf(type: DifferencePart['type'], text: string): DifferencePart[] {
  return text === '' ? [] : [{ type, text }]
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[^\s]+/g) ?? []
}
