import { firstMatches } from '../turn/matches.ts'
import type { TextRange } from '../turn/turn-text.ts'

/** A mention of a file or folder in what the user wrote. */
export interface FileMention extends TextRange {
  readonly path: string
  /** Lines that are asked for, from 1. */
  readonly lines?: { readonly first: number; readonly last: number } | undefined
  /** What may be a name of something else, such as `@Override`: a mention only if there is such a file. */
  readonly isDoubtful: boolean
}

/** At the start, or behind what may stand before a word. */
const MENTION =
  /(?<=^|[\s([{"'“‘«,;:*—–])@(?:"([^"\r\n]{1,1024})"|([^\s@"'`<>|()[\]{}*?\\,;:!“”‘’«»]{1,1024}))(#L\d{1,9}(?:-L?\d{1,9})?)?/gu

/** What a mention is not followed by: decorators, versions of packages, globs. */
const NOT_BEFORE = /^[([{<@\\|]/

/** The mentions of files in a text without code. */
export function findMentions(prose: string): FileMention[] {
  return firstMatches(prose, MENTION).flatMap((match) => mentionOf(match, prose) ?? [])
}

function mentionOf(match: RegExpExecArray, prose: string): FileMention | undefined {
  const { index: start, 0: whole, 1: quoted, 2: word = '', 3: quotedRange } = match
  const before = prose.charAt(start - 1)
  const after = prose.slice(start + whole.length, start + whole.length + 2)
  // The target of a link.
  if (before === '(' && prose.charAt(start - 2) === ']') return undefined
  if (quoted !== undefined) {
    return { start, end: start + whole.length, path: quoted, lines: rangeOf(quotedRange), isDoubtful: false }
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
    isDoubtful: range === undefined && !isPath(path),
  }
}

/** A package of npm in its scope. */
const PACKAGE = /^[a-z0-9~-][\w~-]*\/[\w~-]+$/i

/** What ends a sentence is no part of a name; `..` is one. */
function withoutFullStop(word: string): string {
  let end = word.length
  while (end > 0 && /[.…]/.test(word.charAt(end - 1))) end--
  return end === 0 || word.charAt(end - 1) === '/' ? word : word.slice(0, end)
}

/** `./a`, `/a`, `a/`, `a.md`, `.env`, `docs/a.b`. */
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
