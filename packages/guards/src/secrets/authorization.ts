import type { PatternRecognizer } from '../scanner/recognizer.ts'
import { entropy, isName, isPlaceholder } from './randomness.ts'

/** Credentials in HTTP headers and on command lines. */
export const authorization: PatternRecognizer[] = [
  {
    // RFC 9110, 11.6.2, and schemes of single services.
    type: 'authorization_header',
    pattern:
      /\bauthorization["']?[ \t]{0,3}[:=,][ \t]{0,3}["'`]?(?:[a-z][a-z-]{2,15} {1,3})?[A-Za-z0-9+/_.~@=-]{8,512}/i,
    score: (match) => (isCredential(match.slice(valueStart(match))) ? 0.9 : 0),
    part: (match) => [valueStart(match), match.length],
  },
  {
    type: 'bearer_token',
    pattern: /\bbearer {1,3}[A-Za-z0-9+/_.~=-]{16,512}/i,
    score: (match) => (isCredential(match.slice(valueStart(match)), 3) ? 0.8 : 0),
    part: (match) => [valueStart(match), match.length],
  },
  {
    // curl: `-u name:password`.
    type: 'command_line_credentials',
    pattern:
      /(?<![\w-])(?:-u|--user|--proxy-user|-U)(?: {1,3}|=)["']?[^\s"':$<]{0,80}["']?:["']?[^\s"'<]{0,128}/,
    score: (match) => (isUserAndPassword(match) ? 0.8 : 0),
    part: (match) => [match.search(/[ =]/) + 1, match.length],
  },
]

/** The start of the value, after the name of the header and the scheme. */
function valueStart(match: string): number {
  const name = /^(?:authorization["']?[ \t]*[:=,][ \t]*["'`]?(?:[a-z][a-z-]* +)?|bearer +)/i.exec(match)
  return name?.[0].length ?? 0
}

function isCredential(value: string, bits = 2): boolean {
  return !isPlaceholder(value) && entropy(value) >= bits && (/\d|=$/.test(value) || !isName(value))
}

/** Whether a value is a user name and a password. Two numbers are a user id and a group id. */
function isUserAndPassword(match: string): boolean {
  const credentials = match.slice(match.search(/[ =]/)).replace(/^[ ='"]+|['"]/g, '')
  const separator = credentials.indexOf(':')
  const [user, password] = [credentials.slice(0, separator), credentials.slice(separator + 1)]
  if (/^\d*$/.test(user) && /^\d*$/.test(password)) return false
  return [user, password].some(
    (value) =>
      value.length >= 6 &&
      !isPlaceholder(value) &&
      (/\d/.test(value) ? /[A-Za-z]/.test(value) : isMixed(value)),
  )
}

function isMixed(value: string): boolean {
  return value.length >= 12 && /[a-z][A-Z].*[a-z][A-Z]/.test(value)
}
