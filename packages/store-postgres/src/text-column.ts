/**
 * A text column in a result, with a prefix. PGlite removes a U+FEFF at the beginning of a value as a byte
 * order mark, so the value must not start with it.
 */
export function textColumn(expression: string, { name }: { name: string }): string {
  return `'=' || ${expression} AS ${name}`
}

/** Reads a column selected by {@link textColumn}. */
export function fromTextColumn(value: unknown): string {
  return String(value).slice(1)
}
