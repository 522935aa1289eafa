import { lstat, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { MillraceError, type OptionNames, requireCount, requireOptions } from '@millrace/core'
import picomatch from 'picomatch'
import { segmentsOf } from './contained-path.ts'
import { decodedText } from './decoded-text.ts'
import { isDenied } from './denied-names.ts'
import { type FolderListing, LIST_OPTIONS, type ListOptions, listFolder } from './folder-listing.ts'
import { type IgnoreRules, ignoreRules, isIgnored, MAX_GITIGNORE_BYTES } from './git-ignore.ts'
import { checkFile, readChecked } from './opened-file.ts'
import { isRefusal, type Refusal, refusalOf } from './refusal.ts'

export interface WorkspaceOptions {
  /** The folder that may be read, relative to the current folder of the process. */
  readonly root: string
  /** Globs of the files that may be read. Names used for secrets are always denied. Default: all. */
  readonly allow?: readonly string[] | undefined
  /**
   * Whether to refuse files that a `.gitignore` excludes, including nested files and negations. Default:
   * `true`.
   */
  readonly gitignore?: boolean | undefined
  /** The maximum number of bytes to read of a file. Default: 100,000. */
  readonly maxFileBytes?: number | undefined
}

const WORKSPACE_OPTIONS: OptionNames<WorkspaceOptions> = {
  root: 'required',
  allow: 'optional',
  gitignore: 'optional',
  maxFileBytes: 'optional',
}

export interface WorkspaceFile {
  /** Relative to the root, with `/`, and with symbolic links resolved. */
  readonly path: string
  readonly text: string
  /** The size of the whole file, in bytes. */
  readonly size: number
  /** Whether `text` is the whole file. */
  readonly isWhole: boolean
}

/** A file or folder within the root, by its real path. */
interface Located {
  /** Absolute, with symbolic links resolved. */
  readonly path: string
  readonly root: string
  readonly segments: readonly string[]
}

/**
 * Reads files and folders below a root, and nothing else: no absolute paths, no `..`, no links out of the
 * root, only regular files, no names used for secrets (`.env*`, keys, `.git/`, `.ssh/` …), nothing that a
 * `.gitignore` excludes. After opening, the file is compared with the one that was checked. A path that is
 * not read returns a {@link Refusal}; it does not throw.
 *
 * A hard link counts as a file of its folder.
 */
export class Workspace {
  readonly #root: string
  readonly #maxFileBytes: number
  readonly #gitignore: boolean
  readonly #isAllowed: (path: string) => boolean

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: WorkspaceOptions) {
    const {
      root,
      allow,
      gitignore = true,
      maxFileBytes = 100_000,
    } = requireOptions('Workspace', options, WORKSPACE_OPTIONS)
    if (typeof root !== 'string' || root === '' || root.includes('\0')) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `root is '${String(root)}'. Use the path of the folder to read.`,
      )
    }
    if (allow !== undefined && (!Array.isArray(allow) || allow.some((glob) => typeof glob !== 'string'))) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `allow is '${String(allow)}'. Use a list of globs, such as ['docs/**'].`,
      )
    }
    this.#root = resolve(root)
    this.#maxFileBytes = requireCount('maxFileBytes', maxFileBytes, 1)
    this.#gitignore = gitignore
    this.#isAllowed = allow === undefined ? () => true : picomatch([...allow], { dot: true })
  }

  /** Reads the text of a file. */
  async read(path: string): Promise<WorkspaceFile | Refusal> {
    const located = await this.#locate(path)
    if (isRefusal(located)) return located
    const file = await checkFile(located.path)
    if (isRefusal(file)) return file
    if (!this.#isAllowed(located.segments.join('/'))) return { refused: 'denied' }
    const rules = await this.#rulesAbove(located, false)
    if (isRefusal(rules)) return rules
    const content = await readChecked(file, this.#maxFileBytes)
    if (isRefusal(content)) return content
    const isWhole = content.size <= content.bytes.length
    const text = decodedText(content.bytes, isWhole)
    if (text === undefined) return { refused: 'binary' }
    return { path: located.segments.join('/'), text, size: content.size, isWhole }
  }

  /** Lists a folder; `.` is the root. Files that `allow` excludes are left out. */
  async list(path: string, given: ListOptions = {}): Promise<FolderListing | Refusal> {
    const options = requireOptions('workspace.list()', given, LIST_OPTIONS)
    const { maxEntries = 200, maxDepth = 4, abortSignal } = options
    const located = await this.#locate(path)
    if (isRefusal(located)) return located
    try {
      if (!(await lstat(located.path)).isDirectory()) return { refused: 'file' }
    } catch (error) {
      return refusalOf(error)
    }
    const rules = await this.#rulesAbove(located, true)
    if (isRefusal(rules)) return rules
    return listFolder(
      { ...located, rules },
      {
        maxEntries,
        maxDepth,
        abortSignal,
        isAllowed: this.#isAllowed,
        rulesOf: ({ path: folder, segments, rules: inherited }) =>
          this.#withOwnRules(folder, segments.length, inherited),
      },
    )
  }

  /** Resolves a path to its real path within the root. */
  async #locate(path: string): Promise<Located | Refusal> {
    const forms = new Set([path, path.normalize('NFC'), path.normalize('NFD')])
    let refusal: Refusal = { refused: 'missing' }
    // The stored name may have another Unicode normalization than the typed one.
    for (const form of forms) {
      const located = await this.#locateForm(form)
      if (!isRefusal(located)) return located
      refusal = located
      if (refusal.refused !== 'missing') break
    }
    return refusal
  }

  async #locateForm(path: string): Promise<Located | Refusal> {
    const asked = segmentsOf(path)
    if (isRefusal(asked)) return asked
    if (isDenied(asked)) return { refused: 'denied' }
    try {
      const root = await realpath(this.#root)
      const at = join(root, ...asked)
      if (isSystemPath(at)) return { refused: 'special-file' }
      const found = await realpath(at)
      const inside = relative(root, found)
      if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
        return { refused: 'outside' }
      if (isSystemPath(found)) return { refused: 'special-file' }
      const segments = inside === '' ? [] : inside.split(sep)
      if (isDenied(segments)) return { refused: 'denied' }
      return { path: found, root, segments }
    } catch (error) {
      const { code } = error as { code?: unknown }
      // A cycle of symbolic links.
      return code === 'ELOOP' ? { refused: 'invalid-path' } : refusalOf(error)
    }
  }

  /** The ignore rules of the parent folders; a refusal if they exclude the path or one of these folders. */
  async #rulesAbove(
    { root, segments }: Located,
    isFolder: boolean,
  ): Promise<readonly IgnoreRules[] | Refusal> {
    let rules: readonly IgnoreRules[] = []
    for (let length = 1; length <= segments.length; length++) {
      rules = await this.#withOwnRules(join(root, ...segments.slice(0, length - 1)), length - 1, rules)
      const isLast = length === segments.length
      const excluded = isIgnored(segments.slice(0, length), { isFolder: isFolder || !isLast, rules })
      if (excluded) return { refused: 'ignored' }
    }
    return rules
  }

  /** Like git, does not follow a link named `.gitignore`. */
  async #withOwnRules(
    folder: string,
    depth: number,
    inherited: readonly IgnoreRules[],
  ): Promise<readonly IgnoreRules[]> {
    if (!this.#gitignore) return inherited
    const file = await checkFile(join(folder, '.gitignore'))
    if (isRefusal(file)) return inherited
    const content = await readChecked(file, MAX_GITIGNORE_BYTES)
    if (isRefusal(content)) return inherited
    return [...inherited, ignoreRules(content.bytes.toString(), depth)]
  }
}

/** Virtual files of the system: environments of other processes, memory, devices. */
function isSystemPath(path: string): boolean {
  return /^\/(?:proc|sys|dev)(?:\/|$)/.test(path)
}
