import type { PatternRecognizer } from '@millrace/guards/scanner'
import { evidence } from './evidence.ts'

const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'
const HOST = `(?:${LABEL}\\.){1,8}\\p{L}{2,24}`

/** User names and passwords in URLs (RFC 3986, 3.2.1). */
export const urlWithCredentials: PatternRecognizer[] = [
  {
    type: 'url_credentials',
    pattern: /\b[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s/?#:@"'<>`]{0,64}:[^\s/?#@"'<>`]{1,128}@[A-Za-z0-9[]/,
    score: (candidate) => (/[:@](?:\$|%s|\{|<|\*{3}|x{3})/i.test(candidate) ? 0 : 0.9),
    // The text between the scheme and the host.
    part: (match) => [match.indexOf('://') + 3, match.lastIndexOf('@')],
  },
]

/** URLs (RFC 3986). */
export const url: PatternRecognizer[] = [
  {
    type: 'url',
    pattern: new RegExp(
      `(?<![\\w@])(?:[Hh][Tt][Tt][Pp][Ss]?://|[Ww]{3}\\.)${HOST}(?::\\d{1,5})?(?:[/?#][^\\s"'<>\`\\\\)\\]}]{0,1000})?`,
      'u',
    ),
    score: evidence.format,
    part: (match) => [0, match.length - (/[.,;:!?]*$/.exec(match)?.[0].length ?? 0)],
  },
]
