import { constants, type Dirent } from 'node:fs'
import { lstat, open, opendir, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { OptionNames } from '@millrace/core'
import { isDenied } from './denied-names.ts'
import { type IgnoreRules, isIgnored } from './git-ignore.ts'
import { isRefusal, type Refusal, refusalOf } from './refusal.ts'

export interface ListOptions {
  /** The maximum number of files and folders in a listing. Default: 200. */
  readonly maxEntries?: number
  /** The maximum depth; 1 lists only the folder itself. Default: 4. */
  readonly maxDepth?: number
  readonly abortSignal?: AbortSignal | undefined
}

export const LIST_OPTIONS: OptionNames<ListOptions> = {
  maxEntries: 'optional',
  maxDepth: 'optional',
  abortSignal: 'optional',
}

export interface FolderListing {
  /** Relative to the root, with `/`; empty for the root. */
  readonly path: string
  /** Sorted by name. */
  readonly entries: readonly FolderEntry[]
  /** The number of names in the folder that are not listed. Some of them may be ignored files. */
  readonly omitted: number
}

export interface FolderEntry {
  readonly name: string
  /** Symbolic links are listed but not followed. */
  readonly kind: 'file' | 'folder' | 'link' | 'special'
  /** The content of a folder; `undefined` if it is not listed. */
  readonly folder?: Pick<FolderListing, 'entries' | 'omitted'>
}

/** The maximum number of names that are read for one listing. */
const MAX_NAMES = 500_000
const NAMES_PER_READ = 2_048

interface Folder {
  /** Absolute, with symbolic links resolved. */
  readonly path: string
  readonly segments: readonly string[]
  readonly rules: readonly IgnoreRules[]
  /** The depth below the listed folder. */
  readonly depth: number
}

interface OpenEntry extends FolderEntry {
  folder?: OpenListing
}

interface OpenListing {
  entries: OpenEntry[]
  omitted: number
}

interface Walk extends Required<Pick<ListOptions, 'maxEntries' | 'maxDepth'>> {
  readonly abortSignal: AbortSignal | undefined
  /** Whether to list a file, by its path relative to the root. */
  readonly isAllowed: (path: string) => boolean
  /** The ignore rules of a folder: the inherited ones and its own. */
  readonly rulesOf: (folder: Omit<Folder, 'depth'>) => Promise<readonly IgnoreRules[]>
}

/** Lists a folder breadth-first, so that a limit cuts off the deepest entries. */
export async function listFolder(start: Omit<Folder, 'depth'>, walk: Walk): Promise<FolderListing | Refusal> {
  const root: OpenListing = { entries: [], omitted: 0 }
  const queue: { folder: Folder; listing: OpenListing }[] = [
    { folder: { ...start, depth: 1 }, listing: root },
  ]
  let left = walk.maxEntries
  let namesLeft = MAX_NAMES
  for (const { folder, listing } of queue) {
    if (left <= 0 || namesLeft <= 0) break
    const names = await readNames(folder.path, { most: candidates(left), namesLeft, ...walk })
    if (isRefusal(names)) {
      if (listing === root) return names
      continue
    }
    namesLeft -= names.total
    const rules = await walk.rulesOf(folder)
    let seen = 0
    for (const { name, kind } of names.first) {
      if (left === 0) break
      seen++
      const segments = [...folder.segments, name]
      if (isDenied([name]) || isIgnored(segments, { isFolder: kind === 'folder', rules })) continue
      if (kind !== 'folder' && !walk.isAllowed(segments.join('/'))) continue
      const entry: OpenEntry = { name, kind }
      listing.entries.push(entry)
      left--
      if (kind !== 'folder' || folder.depth === walk.maxDepth) continue
      entry.folder = { entries: [], omitted: 0 }
      queue.push({
        folder: { path: join(folder.path, name), segments, rules, depth: folder.depth + 1 },
        listing: entry.folder,
      })
    }
    listing.omitted = names.total - seen
  }
  return { path: start.segments.join('/'), ...root }
}

/** More names are read than fit, because some of them may be ignored. */
function candidates(left: number): number {
  return 2 * left + 200
}

interface Name {
  readonly name: string
  readonly kind: FolderEntry['kind']
}

interface Names {
  /** The first names in order. */
  readonly first: Name[]
  readonly total: number
}

/**
 * Reads the names in a folder, if it is the one that was checked and not a symbolic link. Holds at most twice
 * `most` names in memory.
 */
async function readNames(
  path: string,
  { most, namesLeft, abortSignal }: { most: number; namesLeft: number } & Pick<Walk, 'abortSignal'>,
): Promise<Names | Refusal> {
  try {
    const opened = await openFolder(path)
    if (isRefusal(opened)) return opened
    try {
      let names: Name[] = []
      let total = 0
      /** Names after this one are not among the first. */
      let last: string | undefined
      for await (const entry of await opendir(opened.path, { bufferSize: NAMES_PER_READ })) {
        abortSignal?.throwIfAborted()
        const { name } = entry
        if (last === undefined || name < last) {
          names.push({ name, kind: kindOf(entry) })
          if (names.length === 2 * most) {
            names = names.sort(byName).slice(0, most)
            last = names.at(-1)?.name
          }
        }
        if (++total === namesLeft) break
      }
      if (!(await opened.isStillThere())) return { refused: 'changed' }
      return { first: names.sort(byName).slice(0, most), total }
    } finally {
      await opened.close()
    }
  } catch (error) {
    abortSignal?.throwIfAborted()
    return refusalOf(error)
  }
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'special'
}

interface OpenedFolder {
  /** The path to read the names from. */
  readonly path: string
  isStillThere(): Promise<boolean>
  close(): Promise<void>
}

/** On Linux a folder can be read through its open handle, on other systems only by its path. */
async function openFolder(path: string): Promise<OpenedFolder | Refusal> {
  if (process.platform === 'linux') {
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    const own = `/proc/self/fd/${handle.fd}`
    const at = await readlink(own).catch(() => undefined)
    if (at === path)
      return { path: own, isStillThere: () => Promise.resolve(true), close: () => handle.close() }
    await handle.close()
    if (at !== undefined) return { refused: 'changed' }
    // Without /proc: continue as on other systems.
  }
  const before = await lstat(path, { bigint: true })
  if (!before.isDirectory()) return { refused: 'changed' }
  return {
    path,
    async isStillThere() {
      const after = await lstat(path, { bigint: true })
      return (await realpath(path)) === path && after.dev === before.dev && after.ino === before.ino
    },
    close: () => Promise.resolve(),
  }
}

function byName(left: Name, right: Name): number {
  return left.name < right.name ? -1 : 1
}
