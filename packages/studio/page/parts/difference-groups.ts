import type { DifferencePart } from '../../src/wire.ts'

export type DifferenceGroup =
  | { type: 'same'; text: string }
  /** Removed text and its replacement. */
  | { type: 'swap'; removed: DifferencePart[]; added: string }

/** Groups a difference into unchanged text and changes. Neighbors of one type are merged. */
export function groupDifference(parts: readonly DifferencePart[]): DifferenceGroup[] {
  const groups: DifferenceGroup[] = []
  for (const part of parts) {
    const last = groups.at(-1)
    if (part.type === 'same') {
      if (last?.type === 'same') last.text += part.text
      else groups.push({ type: 'same', text: part.text })
      continue
    }
    let swap = last
    if (swap?.type !== 'swap') {
      swap = { type: 'swap', removed: [], added: '' }
      groups.push(swap)
    }
    if (part.type === 'removed') swap.removed.push(part)
    else swap.added += part.text
  }
  return groups
}

/** Maximum characters of context around a change. */
const AROUND = 160

/** Shortens a long unchanged passage to its ends next to changes. */
export function shortened(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
  const beginning = isFirst ? 0 : AROUND
  const end = isLast ? 0 : AROUND
  if (isFirst && isLast) return text
  if (text.length <= beginning + end + 40) return text
  const left = text.length - beginning - end
  const gap = ` … ${left.toLocaleString('en')} characters … `
  return text.slice(0, beginning) + gap + (end === 0 ? '' : text.slice(-end))
}
