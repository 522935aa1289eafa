import type { Refusal } from './refusal.ts'

/** PATH_MAX of Linux, in UTF-16 units. */
const LONGEST_PATH = 4_096

/**
 * The segments of a path that stays within its root by its words alone; the empty list is the root. Encoded characters,
 * such as `%2e`, are the characters they are written with.
 */
export function segmentsOf(path: string): readonly string[] | Refusal {
  if (path === '' || path.length > LONGEST_PATH || path.includes('\0') || !path.isWellFormed())
    return { refused: 'invalid-path' }
  // On every system, also what is absolute on Windows: a path may have been written on another machine.
  if (/^(?:[/\\]|[a-z]:)/i.test(path)) return { refused: 'outside' }
  if (path.split(/[/\\]/).includes('..')) return { refused: 'outside' }
  const separator = process.platform === 'win32' ? /[/\\]/ : /\//
  const segments = path.split(separator).filter((segment) => segment !== '' && segment !== '.')
  // An alternate data stream of NTFS has the content of a file under another name.
  if (process.platform === 'win32' && segments.some((segment) => segment.includes(':')))
    return { refused: 'invalid-path' }
  return segments
}
