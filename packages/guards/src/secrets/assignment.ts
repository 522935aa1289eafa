import type { PatternRecognizer } from '../scanner/recognizer.ts'
import { entropy, isName, isPlaceholder, isRandom } from './randomness.ts'

/**
 * The operator between a name and its value, optionally with a type: in programming languages, JSON, YAML, query
 * strings and calls.
 */
const OPERATOR =
  '["\'`\\]]{0,2}(?:[ \\t:]{1,4}(?:string|str|text|char)\\*?)?' +
  '(?:[ \\t]{0,8}(?:[:?|!.]{0,3}={1,3}>?|:)[ \\t]{0,8}|[ \\t]{0,2},[ \\t]{0,8}(?=["\'`])|\\((?=["\'`]))'
const LETTER = 'A-Za-z0-9!#$%&*+./:?@^_|~{}<-'
/** A complete value, or the beginning of a longer one, up to the maximum length that may be held back. */
const VALUE = `(?:[${LETTER}]{6,511}={0,2}(?![${LETTER}])|[${LETTER}]{512})`
const QUOTED_VALUE = `["'\`]{1,3}(?:[=${LETTER}]{6,511}(?![=${LETTER}])|[=${LETTER}]{512})`
const ASSIGNED = `\\\\?(?:${QUOTED_VALUE}|${VALUE})`

/** Values of high entropy that are assigned to a name such as `secret` or `token`. */
export const assignment: PatternRecognizer[] = [
  {
    type: 'secret_assignment',
    pattern: new RegExp(
      `(?:key|token|secret|passw(?:or)?d|passphrase|pwd|[_-]pass|[_-]pw|credentials?|auth)[\\w.-]{0,24}${OPERATOR}${ASSIGNED}`,
      'i',
    ),
    score: scoreAssignment,
    part: valuePlace,
  },
  {
    // `--token value`
    type: 'secret_assignment',
    id: 'option',
    pattern: new RegExp(`--?[a-z-]{0,20}(?:key|token|secret|password) ${ASSIGNED}`, 'i'),
    score: scoreAssignment,
    part: valuePlace,
  },
  {
    // `<token>value</token>`
    type: 'secret_assignment',
    id: 'element',
    pattern:
      /(?:key|token|secret|password|pwd)>[ \t]{0,8}(?:\r?\n[ \t]{0,16})?[A-Za-z0-9+/_.~=-]{8,512}[ \t]{0,8}(?:\r?\n[ \t]{0,16})?<\//i,
    score: (match, before) =>
      scoreValue(match.slice(...elementPlace(match)), match.slice(0, match.indexOf('>')), before),
    part: elementPlace,
  },
  {
    // A .NET configuration: `<add key="Password" value="…" />`
    type: 'secret_assignment',
    id: 'attribute',
    pattern: /\bkey="[\w.:-]{0,40}(?:password|secret|token|apikey)" {1,4}value="[^"\s]{6,256}/i,
    score: (match) => {
      const value = match.slice(match.lastIndexOf('"') + 1)
      return isPlaceholder(value) || /^(?:\*+|password|secret)$/i.test(value) ? 0 : 0.8
    },
    part: (match) => [match.lastIndexOf('"') + 1, match.length],
  },
]

/**
 * The position of the value after the operator and its quotation marks; in a query string, up to the next parameter.
 */
function valuePlace(match: string): readonly [start: number, end: number] {
  const assigned =
    /^[-\w.]*["'`\]]{0,2}(?:[ \t:]{1,4}(?:string|str|text|char)\*?)?(?:[ \t]*(?:[:?|!.]{0,3}={1,3}>?|:)|[ \t]*,|\(| )[ \t]*\\?["'`]{0,3}/i.exec(
      match,
    )?.[0] ?? match
  const next = assigned.endsWith('=') ? (/&[\w.-]+={0,2}$/.exec(match)?.index ?? 0) : 0
  return [assigned.length, next > assigned.length ? next : match.length]
}

/** The position of the content of an element. */
function elementPlace(match: string): readonly [start: number, end: number] {
  const content = /^[^>]*>\s*/.exec(match)?.[0] ?? match
  return [content.length, match.length - (/\s*<\/$/.exec(match)?.[0].length ?? 0)]
}

/** Endings of names whose values describe a secret, but are not secrets. */
const HARMLESS_NAME =
  /(?:id|ids|name|names|type|types|url|uri|path|file|files|filename|dir|store|class|field|label|length|size|count|limit|format|version|expiry|expires|ttl|hash|algorithm|code|index|schema|ref|tag|s3|word_?list|manager|policy|strength|rules?|hint|or|ors|ority|\.(?:go|py|[cm]?[jt]sx?|rb|java|php|rs|cs|cpp|kt))$/i
const HARMLESS_KEY =
  /(?:public|pub|site|recaptcha|flag|feature|resource|s3|primary|foreign|partition|sort|cache|row|object|group|(?<!bit)bucket|sequence|idempotency|route|query|lookup|i18n|translation|hot|short|arrow|ssh-rsa|mon|tur|don|hoc)[-_. ]?$/i

/** Words before `token` in names of pagination tokens. */
const HARMLESS_TOKEN = /(?:page|search|cursor|continuation|next|sync|resume)[-_. ]?$/i

function scoreAssignment(match: string, before: string): number {
  // Identifiers such as ARNs continue after a colon, which is then not an assignment.
  if (/^[-\w.]*:/.test(match) && WITHIN_REFERENCE.test(before)) return 0
  const name = /^[-\w.]*/.exec(match)?.[0] ?? ''
  return scoreValue(match.slice(...valuePlace(match)), name, before)
}

function scoreValue(text: string, name: string, before: string): number {
  if (
    text.length < 6 ||
    isPlaceholder(text) ||
    isName(text) ||
    isCode(text) ||
    isTime(text) ||
    text.startsWith('--')
  )
    return 0
  const isPassword = /passw|passphrase|pwd|[_-]pass|[_-]pw/i.test(name)
  if (HARMLESS_NAME.test(name) && !/^(?:key|token)$/i.test(name)) return 0
  if (/^key/i.test(name) && (HARMLESS_KEY.test(before) || !/[A-Za-z0-9][-_. ]?$/.test(before))) {
    // A key without a secret meaning: of a map, of an object in a store, of an issue.
    return isKey(text) && !HARMLESS_KEY.test(before) ? 0.6 : 0
  }
  if (/^token/i.test(name) && HARMLESS_TOKEN.test(before)) return 0
  if (isPassword) {
    const word = text.replace(/[.?!:]+$/, '')
    return isRandom(word, 2.2) || isRandom(word.replace(/[^A-Za-z0-9]/g, '1'), 2.5) ? 0.75 : 0
  }
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)) return 0.7
  return isDrawn(text) ? 0.8 : 0
}

/** Whether a text is a mix of cases and digits, and not a word followed by an identifier. */
function isKey(text: string): boolean {
  return (
    /^[\w+-]{20,}={0,2}$/.test(text) &&
    [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(text)) &&
    !/^[a-z]{1,10}[_-](?![^_-]*[_-])/.test(text) &&
    isRandom(text, 3.5)
  )
}

/** Whether a text is long enough, and random enough for its length. */
function isDrawn(text: string): boolean {
  const plain = text.replace(/=+$/, '')
  if (/^[0-9a-f]+$/i.test(plain)) return plain.length >= 16 && entropy(plain) >= 2.8 && /[a-f]/i.test(plain)
  if (plain.length < 10 || isTitle(plain)) return false
  return (
    isRandom(plain, plain.length < 16 ? 3 : 3.2) &&
    (/[A-Z]/.test(plain) || plain.length >= 20 || (plain.match(/[a-z]\d|\d[a-z]/g)?.length ?? 0) >= 3)
  )
}

/** Words and numbers joined by dashes, dots or slashes, such as the name of a feature. */
function isTitle(text: string): boolean {
  return /^[a-z]{2,}(?:[-_./](?:[a-z]{2,}|\d{1,4}))+$/.test(text)
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(?:T|$)/.test(text)
}

/**
 * References to a stored secret: in 1Password, Vault, services of AWS, Google and Azure, the environment or a file.
 * Also encrypted values.
 */
const REFERENCE =
  /^(?:op|vault|arn|ssm|aws-?(?:sm|ssm|secretsmanager)|gcp-?(?:sm|secret)|gsm|akv|azkv|keyvault|secretref|secretsmanager|doppler|infisical|bws|keyring|keychain|sops|chamber|env|file|ref\+[a-z]+):|^@microsoft\.keyvault\(|^!(?:vault|ref|sub|getatt)\b|^enc\[/i

/** Matches the text before a candidate if the candidate is a later part of such a reference. */
const WITHIN_REFERENCE = /(?<![A-Za-z0-9])(?:arn:aws|ref\+[a-z]+:|op:\/\/|(?:key)?vault:)[\w:/+.-]*$/i

/** Whether a text is code: a path, a URL, a call, a version, an expression, or a reference to a secret. */
export function isCode(text: string): boolean {
  return (
    REFERENCE.test(text) ||
    /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|\/\/|\.{0,2}\/|~\/)/i.test(text) ||
    isExpression(text) ||
    /\.(?:[cm]?[jt]sx?|json|ya?ml|pem|p12|jks|crt|key|txt|md|html?|php|py|rb|go|java|sh|env|xml|com|org|net|io)(?::\d+)?$/i.test(
      text,
    ) ||
    /^(?:process\.env|os\.|env\.|var\.|data\.|secrets?\.|config\.|self\.|this\.)/i.test(text) ||
    /^v?\d+(?:\.\d+)+|^\w+<\w/.test(text) ||
    /^(?:null|none|nil|true|false|undefined|string|number)\b/i.test(text)
  )
}

/** A call, or a property access: names separated by dots, each with at most one number. */
function isExpression(text: string): boolean {
  return /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\(|^(?:[A-Za-z_$]+(?:\d{1,2}[A-Za-z_$]*)?\.)+[A-Za-z_$]+(?:\d{1,2}[A-Za-z_$]*)?$/.test(
    text,
  )
}
