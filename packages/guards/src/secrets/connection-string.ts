import type { PatternRecognizer } from '../scanner/recognizer.ts'
import { isPlaceholder } from './randomness.ts'

/** Passwords in connection strings and URLs (RFC 3986, 3.2.1): of databases, brokers, registries and web sites. */
export const connectionString: PatternRecognizer[] = [
  {
    type: 'connection_string',
    pattern: /\b[A-Za-z][A-Za-z0-9+.-]{1,24}:\/\/[^\s/?#:@"'<>`]{0,80}:[^\s/?#@"'<>`]{3,256}@[A-Za-z0-9[]/,
    score: (match) => {
      const password = match.slice(match.lastIndexOf(':') + 1, match.lastIndexOf('@'))
      return isPlaceholder(password) || /^(?:pass(?:word)?|pw|pwd|secret|token)$/i.test(password) ? 0 : 0.85
    },
    part: (match) => [match.indexOf('://') + 3, match.lastIndexOf('@')],
  },
  {
    type: 'connection_string',
    id: 'sidekiq',
    pattern:
      /\bBUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[a-f0-9]{8}:[a-f0-9]{8}\b/i,
    score: 0.9,
    part: (match) => [match.length - 17, match.length],
  },
]
