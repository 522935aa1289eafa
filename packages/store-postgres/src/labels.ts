import type { Message } from '@millrace/core'

/**
 * The metadata of a message as a list of texts that a filter can compare: one per scalar value. Values and
 * filters are encoded the same way, so equal values have equal labels, whatever characters they contain.
 */
export function labelsOf({ content }: Message): string[] | undefined {
  if (content.metadata === undefined) return undefined
  // Serialized first, so that labels match what is stored: JSON drops `undefined` and calls `toJSON`.
  const { metadata } = JSON.parse(JSON.stringify({ metadata: content.metadata }))
  return toLabels(Object.entries(metadata ?? {}))
}

/** Lists and objects have no label, because filters cannot match them. */
export function toLabels(entries: readonly [name: string, value: unknown][]): string[] {
  return entries.flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? [] : [JSON.stringify([name, value])],
  )
}
