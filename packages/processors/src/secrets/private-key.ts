import type { PatternRecognizer } from '../scanner/recognizer.ts'

/** Private keys in textual encodings: PKCS#1, PKCS#8, SEC 1, OpenSSH (RFC 7468), OpenPGP armour (RFC 9580), PuTTY. */
export const privateKey: PatternRecognizer[] = [
  {
    type: 'private_key',
    pattern:
      /-----BEGIN[ A-Z0-9]{0,24} PRIVATE KEY(?: BLOCK)?-----(?:[\s"'+,]|\\[nr]){1,12}[A-Za-z0-9+/][A-Za-z0-9+/=:,./ -]{15}/,
    rest: { until: /-----END[ A-Z0-9]{0,24} PRIVATE KEY(?: BLOCK)?-----/, maxLength: 32_768 },
  },
  {
    type: 'private_key',
    id: 'putty',
    pattern: /\bPuTTY-User-Key-File-\d: [a-z0-9-]{4,30}\r?\n/,
    rest: { until: /Private-MAC: [0-9a-f]{40,64}/, maxLength: 32_768 },
  },
]
