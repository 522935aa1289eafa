import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { type Refusal, refusalOf } from './refusal.ts'

/** A regular file as it was when its path was checked. */
export interface CheckedFile {
  /** Absolute, without links. */
  readonly path: string
  readonly stats: BigIntStats
}

/** Windows has neither a flag for links nor FIFOs among files. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** @param path Absolute, without links */
export async function checkFile(path: string): Promise<CheckedFile | Refusal> {
  try {
    const stats = await lstat(path, { bigint: true })
    if (stats.isDirectory()) return { refused: 'folder' }
    if (stats.isSymbolicLink()) return { refused: 'changed' }
    // Before it is opened: to open a device may have an effect.
    if (!stats.isFile()) return { refused: 'special-file' }
    return { path, stats }
  } catch (error) {
    return refusalOf(error)
  }
}

export interface FileBytes {
  readonly bytes: Buffer
  /** Of the whole file. */
  readonly size: number
}

/** The first bytes of a file, if it is the one that was checked. */
export async function readChecked(file: CheckedFile, maxBytes: number): Promise<FileBytes | Refusal> {
  let handle: FileHandle
  try {
    handle = await open(file.path, FLAGS)
  } catch (error) {
    return refusalOf(error)
  }
  try {
    const stats = await handle.stat({ bigint: true })
    if (!isSame(stats, file.stats) || !(await isAt(handle, file))) return { refused: 'changed' }
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
 * Whether an open file is still at its path. A folder above it may have been replaced by a link, before the file was
 * checked and after its path was: then what was checked and what was opened are the same, and elsewhere.
 */
async function isAt(handle: FileHandle, file: CheckedFile): Promise<boolean> {
  if (process.platform === 'linux') {
    try {
      return (await readlink(`/proc/self/fd/${handle.fd}`)) === file.path
    } catch {
      // Without /proc, as elsewhere.
    }
  }
  if ((await realpath(file.path)) !== file.path) return false
  return isSame(await lstat(file.path, { bigint: true }), file.stats)
}

/** Not by the size that the system states: that of some files is 0. */
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
