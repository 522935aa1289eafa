import type { AuditSink } from './audit-queue.ts'
import { type AppendedFile, type FileSystem, fileSystem, type Paths } from './file-system.ts'

export interface RotationOptions {
  /**
   * The maximum size of the file in bytes. A file that would exceed it is renamed, and a new one is begun. Default: 64
   * MiB.
   */
  readonly maxBytes?: number
  /** The maximum number of renamed files; the oldest are deleted. Default: all are kept. */
  readonly maxFiles?: number
}

/** Only the user of the process may read the log. */
const MODE = 0o600
const NEW_FILE_ATTEMPTS = 3

/**
 * A file of lines. Every batch is one write to a file opened for appending, which a local file system does not split:
 * lines of several processes do not mix. A full file is renamed to a unique name with the time; a process that still
 * has it open finishes its batch there.
 */
export class FileSink implements AuditSink {
  readonly #files: FileSystem
  readonly #paths: Paths
  readonly #path: string
  readonly #maxBytes: number
  readonly #maxFiles: number
  /** Whether the last write may have ended within a line. */
  #isTorn = false
  /** The time of the last rename, in milliseconds since 1970. */
  #rotatedAt = 0

  constructor(
    path: string,
    { maxBytes = 64 * 1024 * 1024, maxFiles = Number.POSITIVE_INFINITY }: RotationOptions,
  ) {
    const { files, paths } = fileSystem()
    this.#files = files
    this.#paths = paths
    this.#path = path
    this.#maxBytes = maxBytes
    this.#maxFiles = maxFiles
  }

  async write(lines: readonly string[]): Promise<void> {
    const data = this.#encode(lines)
    const file = await this.#fileFor(data.length)
    try {
      this.#isTorn = true
      const { bytesWritten } = await file.write(data)
      if (bytesWritten < data.length)
        throw new Error('Only a part of the records could be written to the audit log.')
      this.#isTorn = false
    } finally {
      await file.close()
    }
  }

  writeSync(lines: readonly string[]): void {
    this.#files.mkdirSync(this.#paths.dirname(this.#path), { recursive: true })
    this.#files.appendFileSync(this.#path, this.#encode(lines), { mode: MODE })
  }

  #encode(lines: readonly string[]): Uint8Array {
    return new TextEncoder().encode(`${this.#isTorn ? '\n' : ''}${lines.join('\n')}\n`)
  }

  /** Opens the file with room for this many bytes. */
  async #fileFor(bytes: number): Promise<AppendedFile> {
    for (let attempt = 1; ; attempt++) {
      const file = await this.#open()
      const { size } = await file.stat()
      if (size === 0 || size + bytes <= this.#maxBytes || attempt > NEW_FILE_ATTEMPTS) return file
      await file.close()
      await this.#rotate()
    }
  }

  async #open(): Promise<AppendedFile> {
    try {
      return await this.#files.promises.open(this.#path, 'a', MODE)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error
      await this.#files.promises.mkdir(this.#paths.dirname(this.#path), { recursive: true })
      return this.#files.promises.open(this.#path, 'a', MODE)
    }
  }

  async #rotate(): Promise<void> {
    const { promises } = this.#files
    const { dirname, join, extname } = this.#paths
    const folder = dirname(this.#path)
    // Strictly increasing, so that names sort by age.
    this.#rotatedAt = Math.max(Date.now(), this.#rotatedAt + 1)
    const time = new Date(this.#rotatedAt).toISOString().replaceAll(':', '-')
    const rotatedName = `${this.#name}.${time}-${crypto.randomUUID().slice(0, 8)}${extname(this.#path)}`
    try {
      await promises.rename(this.#path, join(folder, rotatedName))
    } catch {
      // Another process has renamed it, or has it open on a system that forbids renaming: then the file grows until it
      // can be renamed.
      return
    }
    if (this.#maxFiles === Number.POSITIVE_INFINITY) return
    const files = (await promises.readdir(folder)).filter((file) => this.#isRotated(file)).sort()
    for (const file of files.slice(0, Math.max(0, files.length - this.#maxFiles))) {
      await promises.rm(join(folder, file), { force: true })
    }
  }

  get #name(): string {
    const { basename, extname } = this.#paths
    return basename(this.#path, extname(this.#path))
  }

  #isRotated(file: string): boolean {
    const extension = this.#paths.extname(this.#path)
    if (!file.startsWith(`${this.#name}.`) || !file.endsWith(extension)) return false
    const middle = file.slice(this.#name.length + 1, file.length - extension.length)
    return /^\d{4}-\d\d-\d\dT[\d.-]+Z-[0-9a-f]{8}$/.test(middle)
  }
}
