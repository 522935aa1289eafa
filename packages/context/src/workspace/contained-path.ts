import type { Refusal } from './refusal.ts'

/** PATH_MAX of Linux, in UTF-16 units. */
const MAX_PATH_LENGTH = 4_096

/**
 * The segments of a relative path that does not leave the root; an empty list is the root itself.
 * Percent-encoded characters, such as `%2e`, are not decoded.
 */
export function segmentsOf(path: string): readonly string[] | Refusal {
  if (path === '' || path.length > MAX_PATH_LENGTH || path.includes('\0') || !path.isWellFormed())
    return { refused: 'invalid-path' }
  // Windows paths are refused on every system, because a path may come from another machine.
  if (/^(?:[/\\]|[a-z]:)/i.test(path)) return { refused: 'outside' }
  if (path.split(/[/\\]/).includes('..')) return { refused: 'outside' }
  const separator = process.platform === 'win32' ? /[/\\]/ : /\//
  const segments = path.split(separator).filter((segment) => segment !== '' && segment !== '.')
  // An NTFS alternate data stream is the same file under another name.
  if (process.platform === 'win32' && segments.some((segment) => segment.includes(':')))
    return { refused: 'invalid-path' }
  return segments
}
