/** Between the cells of a row. */
const SEPARATORS = ['\t', '|', ';', ',']

/** More columns than a table has that fits before a value. */
const MOST_COLUMNS = 24

/**
 * Whether a value stands in a column of a table whose head is what `head` says: the first line of `before` has the names of the
 * columns, and the line of the value as many separators before it as there are before the name. `before` begins with a line.
 */
export function isInColumn(before: string, head: RegExp): boolean {
  const row = before.lastIndexOf('\n') + 1
  if (row === 0) return false
  const line = before.slice(row)
  const heads = before.slice(0, before.indexOf('\n'))
  if (!head.test(heads)) return false
  const separator = SEPARATORS.find((each) => heads.includes(each))
  if (separator === undefined) return false
  const column = line.split(separator, MOST_COLUMNS).length - 1
  const name = heads.split(separator, MOST_COLUMNS)[column]
  return name !== undefined && head.test(name)
}
