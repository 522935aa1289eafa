import ignore, { type Ignore } from 'ignore'

/** More than this of a `.gitignore` is not read, in bytes. */
export const LARGEST_GITIGNORE = 65_536

/** With more `*` in a name, or more names `**`, one pattern could be matched for minutes against one hostile path. */
const MOST_STARS = 3

/** The rules of one `.gitignore`, for paths relative to its folder. */
export interface IgnoreRules {
  /** How many segments of a path stand for the folder of the rules. */
  readonly depth: number
  readonly rules: Ignore
}

/** @param depth How many segments lead from the root to the folder of the `.gitignore` */
export function ignoreRules(text: string, depth: number): IgnoreRules {
  const lines = text.split(/\r?\n/).filter(isCheap)
  // As git does, by the file systems that are usual there.
  const ignoreCase = process.platform === 'win32' || process.platform === 'darwin'
  // A file may be called `...`, which looks like a path that leads out.
  return { depth, rules: ignore({ ignoreCase, allowRelativePaths: true }).add(lines) }
}

/**
 * Whether git ignores what is at `segments`, where none of the folders it is in is ignored. The rules nearest to it decide.
 *
 * @param rules Those of the folders it is in, from the root on
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
  return Math.max(...stars) <= MOST_STARS && names.filter((name) => name.includes('**')).length <= MOST_STARS
}
