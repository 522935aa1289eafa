/**
 * A column of any text in a result. PGlite takes U+FEFF at the beginning of a value for a byte order mark and drops it, so
 * it must not be at the beginning.
 */
export function textColumn(expression: string, { name }: { name: string }): string {
  return `'=' || ${expression} AS ${name}`
}

/** What {@link textColumn} has selected. */
export function fromTextColumn(value: unknown): string {
  return String(value).slice(1)
}
