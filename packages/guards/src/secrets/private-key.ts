import type { PatternRecognizer } from '../scanner/recognizer.ts'

const KIND = '[ A-Z0-9]{0,24} PRIVATE KEY(?: BLOCK)?'
const BASE64 = '[A-Za-z0-9+/=]'
/**
 * Characters between two lines of a key, in addition to line ends: escaped line ends, quotation marks and operators of
 * concatenated strings, indentation, and markers of comments, quoted mails and diffs.
 */
const BETWEEN = '(?:[\\s"\'`,+>#*|\\\\-]|\\\\[nrt])'
/** Required after a short line: otherwise it may be a word of a sentence. */
const LINE_ENDS = '(?=[\\r\\n\\\\"\'`,<-]|$)'
/** RFC 1421 and RFC 9580. */
const HEADER = '(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\\r\\n\\\\"]{1,200}'
const GAP = `${BETWEEN}{1,96}`
const END = `-----END${KIND}-----`

const PUTTY_FIELD =
  '(?:Comment|Public-Lines|Private-Lines|Key-Derivation|Argon2-[A-Z][a-z]{1,20}): {0,4}[^\\r\\n\\\\"]{0,200}'

/**
 * Private keys in text encodings: PKCS#1, PKCS#8, SEC 1, OpenSSH (RFC 7468), OpenPGP armor (RFC 9580), PuTTY. A key
 * ends with its end line, or before the first line that is not base64. A header without a base64 line after it is
 * prose.
 */
export const privateKey: PatternRecognizer[] = [
  {
    type: 'private_key',
    pattern: new RegExp(
      `-----BEGIN${KIND}-----(?:${BETWEEN}+${HEADER})*${BETWEEN}*(?:${BASE64}{40}|${BASE64}{16,39}${LINE_ENDS})`,
    ),
    maxLength: 2_048,
    score: (header) => {
      const line = /[A-Za-z0-9+/=]*$/.exec(header)?.[0] ?? ''
      return /[a-z]/.test(line) && /[A-Z]/.test(line) ? 1 : 0
    },
    rest: {
      repeat: new RegExp(`${BASE64}|${GAP}(?:${BASE64}{40}|${BASE64}{1,39}${LINE_ENDS})`),
      // If the key is on one line, its last groups may be as short as the words of a sentence.
      last: new RegExp(`${BETWEEN}{0,96}${END}|(?:${GAP}${BASE64}{1,39}){1,2}${GAP}${END}`),
      maxLength: 32_768,
    },
  },
  {
    type: 'private_key',
    id: 'putty',
    pattern: new RegExp(
      `\\bPuTTY-User-Key-File-\\d: [a-z0-9-]{4,30}${BETWEEN}{1,16}Encryption: (?:none|aes256-cbc)${LINE_ENDS}`,
    ),
    rest: {
      repeat: new RegExp(`${BASE64}|${GAP}(?:${BASE64}{40}|${BASE64}{1,39}${LINE_ENDS}|${PUTTY_FIELD})`),
      last: new RegExp(`${GAP}Private-MAC: [0-9a-f]{40,64}`),
      maxLength: 32_768,
    },
  },
]
