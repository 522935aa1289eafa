import { MillraceError } from '@millrace/core'

/** The functions of `node:fs` that are used. */
export interface FileSystem {
  readonly promises: {
    open(path: string, flags: 'a', mode: number): Promise<AppendedFile>
    mkdir(path: string, options: { recursive: true }): Promise<unknown>
    rename(from: string, to: string): Promise<void>
    readdir(path: string): Promise<string[]>
    rm(path: string, options: { force: true }): Promise<void>
  }
  mkdirSync(path: string, options: { recursive: true }): unknown
  appendFileSync(path: string, data: Uint8Array, options: { mode: number }): void
}

export interface AppendedFile {
  stat(): Promise<{ readonly size: number }>
  write(data: Uint8Array): Promise<{ readonly bytesWritten: number }>
  close(): Promise<void>
}

/** The functions of `node:path` that are used. */
export interface Paths {
  basename(path: string, extension?: string): string
  dirname(path: string): string
  extname(path: string): string
  join(...parts: string[]): string
}

export interface Process {
  getBuiltinModule?(name: string): unknown
  once?(event: 'exit', listener: () => void): unknown
  off?(event: 'exit', listener: () => void): unknown
}

/** The `process` object of Node, Bun and Deno. */
export const currentProcess: Process | undefined = (globalThis as { process?: Process }).process

/**
 * The file system of Node, Bun or Deno. It does not import `node:fs`, which other platforms cannot load.
 *
 * @throws MillraceError `CONFIG_INVALID` if there is none
 */
export function fileSystem(): { files: FileSystem; paths: Paths } {
  const files = currentProcess?.getBuiltinModule?.('node:fs') as FileSystem | undefined
  const paths = currentProcess?.getBuiltinModule?.('node:path') as Paths | undefined
  if (files && paths) return { files, paths }
  throw new MillraceError(
    'CONFIG_INVALID',
    'AuditLog has a path, but this runtime has no file system. Pass a sink in its place.',
  )
}
