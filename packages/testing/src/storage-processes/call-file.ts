/** Appends a line to a file synchronously, so that it remains if the process is killed. It records a tool call. */
export function append(file: string, line: string): void {
  process.getBuiltinModule('node:fs').appendFileSync(file, `${line}\n`)
}

/** The lines of a file; none if it does not exist. */
export function linesOf(file: string): string[] {
  const { existsSync, readFileSync } = process.getBuiltinModule('node:fs')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}
