import ignore, { type Ignore } from 'ignore'

/** The maximum number of bytes to read of a `.gitignore`. */
export const MAX_GITIGNORE_BYTES = 65_536

/**
 * The maximum number of `*` in a name, and of names with `**` in a pattern. With more, matching one hostile
 * path could take minutes.
 */
const MAX_STARS = 3

/** The rules of one `.gitignore`, for paths relative to its folder. */
export interface IgnoreRules {
  /** The number of path segments from the root to the folder of the rules. */
  readonly depth: number
  readonly rules: Ignore
}

/** @param depth The number of segments from the root to the folder of the `.gitignore` */
export function ignoreRules(text: string, depth: number): IgnoreRules {
  const lines = text.split(/\r?\n/).filter(isCheap)
  // As git does by default on these systems.
  const ignoreCase = process.platform === 'win32' || process.platform === 'darwin'
  // A file can be named `...`, which looks like a path outside the folder.
  return { depth, rules: ignore({ ignoreCase, allowRelativePaths: true }).add(lines) }
}

/**
 * Whether git ignores the path. Assumes that none of its parent folders is ignored. The nearest rule decides.
 *
 * @param rules The rules of its parent folders, from the root on
 */
export function isIgnored(
  segments: readonly string[],
  { isFolder, rules }: { isFolder: boolean; rules: readonly IgnoreRules[] },
): boolean {
  for (let index = rules.length - 1; index >= 0; index--) {
    const { depth, rules: own } = rules[index] as IgnoreRules
    const path = segments.slice(depth).join('/') + (isFolder ? '/' : '')
    const { ignored, unignored } = own.test(path)
    if (ignored) return true
    if (unignored) return false
  }
  return false
}

function isCheap(pattern: string): boolean {
  const names = pattern.split('/')
  const stars = names.map((name) => name.match(/\*+/g)?.length ?? 0)
  return Math.max(...stars) <= MAX_STARS && names.filter((name) => name.includes('**')).length <= MAX_STARS
}
