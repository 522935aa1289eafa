/** What is used of `node:fs`. */
interface FileSystem {
  openSync(path: string, flags: 'wx', mode: number): number
  fchmodSync(file: number, mode: number): void
  closeSync(file: number): void
  existsSync(path: string): boolean
  readlinkSync(path: string): string
}

/** What is used of `node:path`. */
interface Paths {
  dirname(path: string): string
  resolve(...parts: string[]): string
}

interface Process {
  getBuiltinModule?(name: string): unknown
}

/** For its owner alone: what agents remember is personal. */
const MODE = 0o600

/** Links that are followed to a file that is not there. */
const MOST_LINKS = 10

/**
 * Creates an empty file, which is an empty database, that its owner alone can read and write, whatever the umask. SQLite
 * gives its log and the index of that the same mode. A file that is there keeps its mode, and is not opened: closing it
 * again would end the locks of others in this process. What goes wrong here, the driver says when it opens the file.
 */
export function createFile(path: string): void {
  // No import of `node:fs`, which other platforms could not load.
  const current = (globalThis as { process?: Process }).process
  const files = current?.getBuiltinModule?.('node:fs') as FileSystem | undefined
  const paths = current?.getBuiltinModule?.('node:path') as Paths | undefined
  if (!files || !paths) return
  let target = paths.resolve(path)
  for (let links = 0; links < MOST_LINKS; links++) {
    if (files.existsSync(target)) return
    try {
      const file = files.openSync(target, 'wx', MODE)
      try {
        files.fchmodSync(file, MODE)
      } finally {
        files.closeSync(file)
      }
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EEXIST') return
    }
    const link = linkAt(target, files)
    if (link === undefined) return
    target = paths.resolve(paths.dirname(target), link)
  }
}

function linkAt(path: string, files: FileSystem): string | undefined {
  try {
    return files.readlinkSync(path)
  } catch {
    return undefined
  }
}
