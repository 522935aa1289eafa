/** The part of `node:fs` that is used. */
interface FileSystem {
  openSync(path: string, flags: 'wx', mode: number): number
  fchmodSync(file: number, mode: number): void
  closeSync(file: number): void
  existsSync(path: string): boolean
  readlinkSync(path: string): string
}

/** The part of `node:path` that is used. */
interface Paths {
  dirname(path: string): string
  resolve(...parts: string[]): string
}

interface Process {
  getBuiltinModule?(name: string): unknown
}

/** Readable and writable only by the owner, because an agent's memory is personal data. */
const MODE = 0o600

/** Maximum number of symbolic links that are followed to a missing file. */
const MAX_LINKS = 10

/**
 * Creates an empty file, which is a valid empty database, with mode 0600 whatever the umask. SQLite gives its
 * WAL and shared-memory file the same mode. An existing file keeps its mode and is not opened, because
 * closing it would release the POSIX locks of this process. Errors are ignored: the driver reports them when
 * it opens the file.
 */
export function createFile(path: string): void {
  // `node:fs` is not imported, because other platforms could not load this module.
  const current = (globalThis as { process?: Process }).process
  const files = current?.getBuiltinModule?.('node:fs') as FileSystem | undefined
  const paths = current?.getBuiltinModule?.('node:path') as Paths | undefined
  if (!files || !paths) return
  let target = paths.resolve(path)
  for (let links = 0; links < MAX_LINKS; links++) {
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
