import { firstMatches } from '../turn/matches.ts'
import type { TextRange } from '../turn/turn-text.ts'

/** A file or folder mentioned in the user's text. */
export interface FileMention extends TextRange {
  readonly path: string
  /** The requested lines, starting at 1. */
  readonly lines?: { readonly first: number; readonly last: number } | undefined
  /** May be something else, such as `@Override`: it counts as a mention only if the file exists. */
  readonly isAmbiguous: boolean
}

/** At the start of the text, or after a character that can precede a word. */
const MENTION =
  /(?<=^|[\s([{"'“‘«,;:*—–])@(?:"([^"\r\n]{1,1024})"|([^\s@"'`<>|()[\]{}*?\\,;:!“”‘’«»]{1,1024}))(#L\d{1,9}(?:-L?\d{1,9})?)?/gu

/** Characters that rule out a mention: it is then a decorator, a package version or a glob. */
const NOT_BEFORE = /^[([{<@\\|]/

/** Finds the mentioned files in a text without code. */
export function findMentions(prose: string): FileMention[] {
  return firstMatches(prose, MENTION).flatMap((match) => mentionOf(match, prose) ?? [])
}

function mentionOf(match: RegExpExecArray, prose: string): FileMention | undefined {
  const { index: start, 0: whole, 1: quoted, 2: word = '', 3: quotedRange } = match
  const before = prose.charAt(start - 1)
  const after = prose.slice(start + whole.length, start + whole.length + 2)
  // The target of a Markdown link.
  if (before === '(' && prose.charAt(start - 2) === ']') return undefined
  if (quoted !== undefined) {
    return { start, end: start + whole.length, path: quoted, lines: rangeOf(quotedRange), isAmbiguous: false }
  }
  if (NOT_BEFORE.test(after) || (after.startsWith('*') && before !== '*')) return undefined
  if (word === 'memory' && /^:\S/.test(after)) return undefined
  const named = withoutFullStop(word)
  const [, path = '', range] = /^(.*?)(#L\d{1,9}(?:-L?\d{1,9})?)?$/u.exec(named) ?? []
  if (path === '' || PACKAGE.test(path)) return undefined
  return {
    start,
    end: start + 1 + named.length,
    path,
    lines: rangeOf(range),
    isAmbiguous: range === undefined && !isPath(path),
  }
}

/** A scoped npm package. */
const PACKAGE = /^[a-z0-9~-][\w~-]*\/[\w~-]+$/i

/** Removes punctuation at the end of a sentence. `..` is kept. */
function withoutFullStop(word: string): string {
  let end = word.length
  while (end > 0 && /[.…]/.test(word.charAt(end - 1))) end--
  return end === 0 || word.charAt(end - 1) === '/' ? word : word.slice(0, end)
}

/** Looks like a path: `./a`, `/a`, `a/`, `a.md`, `.env`, `docs/a.b`. */
function isPath(path: string): boolean {
  const last = path.slice(path.lastIndexOf('/') + 1)
  const isInFolder = last.length < path.length
  if (last === '' || /^\.{0,2}\//.test(path)) return true
  if (isInFolder) return last.includes('.')
  const dot = last.lastIndexOf('.')
  return dot === 0 || (dot > 0 && /^[\p{L}\p{N}]{1,4}$/u.test(last.slice(dot + 1)))
}

function rangeOf(range: string | undefined): FileMention['lines'] {
  const [first, last = first] = range?.match(/\d+/g)?.map(Number) ?? []
  if (first === undefined || last === undefined) return undefined
  return first <= last ? { first, last } : { first: last, last: first }
}
