/** Adds a line to a file that lasts when the process is killed: what a tool has done. */
export function append(file: string, line: string): void {
  process.getBuiltinModule('node:fs').appendFileSync(file, `${line}\n`)
}

/** The lines of a file; none if it is not there. */
export function linesOf(file: string): string[] {
  const { existsSync, readFileSync } = process.getBuiltinModule('node:fs')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}
