import type { PatternRecognizer } from '../scanner/recognizer.ts'
import { isCode } from './assignment.ts'
import { isPlaceholder, isRandom } from './randomness.ts'

/** Words for a password, and the verbs that follow them in a sentence. One row per language. */
const SENTENCES: readonly (readonly [name: string, verb: string])[] = [
  ['pass(?:word|phrase|code)', 'is(?: now| still)?|was|will be'],
  ['(?:passwort|kennwort)', 'ist|lautet|heißt'],
  ['mot de passe', 'est|sera'],
  ['(?:contraseña|clave)', 'es|será'],
  ["(?:parola d'ordine|password)", 'è'],
  ['(?:senha|palavra-passe)', 'é|será'],
  ['wachtwoord', 'is|luidt'],
  ['hasło', 'to|jest|brzmi'],
  ['пароль', '—|–|-|это|такой'],
  ['(?:şifre|parola)(?:n[iı]z|si|m)?', 'şudur|şu'],
  ['(?:lösenordet|lösenord|adgangskoden?|passordet)', 'är|er'],
  ['(?:密码|密碼|口令)', '是|为|為'],
  ['パスワード', 'は'],
  ['(?:비밀번호|암호)', '는|은'],
  ['كلمة (?:المرور|السر)', 'هي'],
]

/** Up to four words between the noun and its verb: `the password of the router is`. */
const BETWEEN = "(?: [\\p{L}\\p{N}'’.-]{1,16}){0,4}"
const VERB = (verb: string): string =>
  `(?:${BETWEEN} {0,2}(?:${verb}) {0,2}:? {0,2}|${BETWEEN} {0,2}[:：] {0,2})`
const VALUE = '[!-~]{6,64}'
const QUOTES = '["\'`“„«「]?'

/** Passwords in a sentence, as in a mail. */
export const spokenPassword: PatternRecognizer[] = [
  {
    type: 'password',
    pattern: new RegExp(
      SENTENCES.map(([name, verb]) => `${name}${VERB(verb)}${QUOTES}${VALUE}`).join('|'),
      'iu',
    ),
    score: (match) => (isPassword(match.slice(...valuePlace(match))) ? 0.75 : 0),
    part: valuePlace,
  },
]

/** The position of the password, without quotation marks and the punctuation that ends the sentence. */
function valuePlace(match: string): readonly [start: number, end: number] {
  const last = /[!-~]{6,64}$/.exec(match)?.[0] ?? ''
  // If there is no space after the colon, the match includes the noun.
  const value = last.length === match.length ? last.slice(last.indexOf(':') + 1) : last
  const opening = /^["'`]+/.exec(value)?.[0].length ?? 0
  const closing = /["'`.,;:!?)]*$/.exec(value.slice(opening))?.[0] ?? ''
  // A password may end with exclamation marks; punctuation after them ends the sentence.
  const kept = /^!+/.exec(closing)?.[0].length ?? 0
  return [match.length - value.length + opening, match.length - closing.length + kept]
}

/** Whether the value is a password: an ordinary word has letters only. */
function isPassword(value: string): boolean {
  if (value.length < 6 || /^[\\:]/.test(value) || isPlaceholder(value) || isCode(value)) return false
  return (
    isRandom(value, 2.2) ||
    (/[^A-Za-z0-9.,-]/.test(value) && isRandom(value.replace(/[^A-Za-z0-9]/g, '1'), 2.5))
  )
}
