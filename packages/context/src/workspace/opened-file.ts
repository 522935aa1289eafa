import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { type Refusal, refusalOf } from './refusal.ts'

/** A regular file, and its stats when its path was checked. */
export interface CheckedFile {
  /** Absolute, with symbolic links resolved. */
  readonly path: string
  readonly stats: BigIntStats
}

/** Windows has no flag for links, and no FIFOs in the file system. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** @param path Absolute, with symbolic links resolved */
export async function checkFile(path: string): Promise<CheckedFile | Refusal> {
  try {
    const stats = await lstat(path, { bigint: true })
    if (stats.isDirectory()) return { refused: 'folder' }
    if (stats.isSymbolicLink()) return { refused: 'changed' }
    // Checked before opening, because opening a device can have side effects.
    if (!stats.isFile()) return { refused: 'special-file' }
    return { path, stats }
  } catch (error) {
    return refusalOf(error)
  }
}

export interface FileBytes {
  readonly bytes: Buffer
  /** The size of the whole file. */
  readonly size: number
}

/** The first bytes of a file, if it is still the one that was checked. */
export async function readChecked(file: CheckedFile, maxBytes: number): Promise<FileBytes | Refusal> {
  let handle: FileHandle
  try {
    handle = await open(file.path, FLAGS)
  } catch (error) {
    return refusalOf(error)
  }
  try {
    const stats = await handle.stat({ bigint: true })
    if (!isSame(stats, file.stats) || !(await isStillAt(handle, file))) return { refused: 'changed' }
    const bytes = await readBytes(handle, maxBytes)
    return { bytes, size: Math.max(Number(stats.size), bytes.length) }
  } catch (error) {
    return refusalOf(error)
  } finally {
    await handle.close()
  }
}

function isSame(stats: BigIntStats, checked: BigIntStats): boolean {
  return stats.isFile() && stats.dev === checked.dev && stats.ino === checked.ino
}

/**
 * Whether the open file is still at its path. If a parent folder was replaced by a link between the checks of
 * the path and of the file, the checked file and the opened file are the same, but outside the root.
 */
async function isStillAt(handle: FileHandle, file: CheckedFile): Promise<boolean> {
  if (process.platform === 'linux') {
    try {
      return (await readlink(`/proc/self/fd/${handle.fd}`)) === file.path
    } catch {
      // Without /proc: continue as on other systems.
    }
  }
  if ((await realpath(file.path)) !== file.path) return false
  return isSame(await lstat(file.path, { bigint: true }), file.stats)
}

/** Reads to the end instead of relying on the reported size, which is 0 for some files. */
async function readBytes(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const { size } = await handle.stat()
  let buffer = Buffer.alloc(Math.min(maxBytes, Math.max(size, 1_024)))
  let length = 0
  for (;;) {
    if (length === buffer.length) {
      if (length === maxBytes) return buffer
      buffer = Buffer.concat([buffer, Buffer.alloc(Math.min(length, maxBytes - length))])
    }
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) return buffer.subarray(0, length)
    length += bytesRead
  }
}
