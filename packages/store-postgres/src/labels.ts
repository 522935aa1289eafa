import type { Message } from '@millrace/core'

/**
 * What a filter on metadata compares, as a list of texts: one for each value that a filter can ask for. Both sides are
 * written the same way, so that equal texts are equal values, whatever characters are in them.
 */
export function labelsOf({ content }: Message): string[] | undefined {
  if (content.metadata === undefined) return undefined
  // As it is read back: without what JSON leaves out, and with what toJSON makes.
  const { metadata } = JSON.parse(JSON.stringify({ metadata: content.metadata }))
  return toLabels(Object.entries(metadata ?? {}))
}

/** Values that are lists or objects have no label: no filter asks for them. */
export function toLabels(entries: readonly [name: string, value: unknown][]): string[] {
  return entries.flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? [] : [JSON.stringify([name, value])],
  )
}
