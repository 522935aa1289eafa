import { generateKeyPairSync, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textSink } from '../../test/text-sink.ts'
import { Scanner } from '../scanner/scanner.ts'
import { CATALOGUE } from './catalogue.ts'
import { privateKey } from './private-key.ts'

const runs = process.env.MILLRACE_THOROUGH === '1' ? 2_000 : 150
const scanner = new Scanner(privateKey)
const replaced = (text: string): string => scanner.replace(text, () => '█')

const header = (what: string): string => `-----BEGIN ${what}-----`
const footer = (what: string): string => `-----END ${what}-----`
const wrapped = (base64: string, width: number): string =>
  base64.replace(new RegExp(`.{${width}}(?!$)`, 'g'), '$&\n')
const armoured = (what: string, body: string): string => `${header(what)}\n${body}\n${footer(what)}`

/** Put together here, as no scanner is to take this file for a leak. */
const KEYS: Record<string, string> = {
  'PKCS#1': generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs1',
    format: 'pem',
  }) as string,
  'PKCS#8': generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string,
  'SEC 1': generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'sec1',
    format: 'pem',
  }) as string,
  'Ed25519, of one line': generateKeyPairSync('ed25519').privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string,
  'PKCS#8, encrypted': generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'top',
  }) as string,
  'PKCS#1, encrypted': generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
    type: 'pkcs1',
    format: 'pem',
    cipher: 'aes-128-cbc',
    passphrase: 'top',
  }) as string,
  OpenSSH: armoured(
    'OPENSSH PRIVATE KEY',
    wrapped(Buffer.concat([Buffer.from('openssh-key-v1\0'), randomBytes(300)]).toString('base64'), 70),
  ),
  OpenPGP: armoured(
    'PGP PRIVATE KEY BLOCK',
    `Version: GnuPG v2.4.5 (GNU/Linux)\nComment: https://keys.example.com/ada, for work\n\n${wrapped(randomBytes(900).toString('base64'), 64)}\n=aB3d`,
  ),
  'OpenPGP, without headers': armoured(
    'PGP PRIVATE KEY BLOCK',
    `\n${wrapped(randomBytes(900).toString('base64'), 76)}\n=Zz9+`,
  ),
}
for (const [name, key] of Object.entries(KEYS)) KEYS[name] = key.trimEnd()

/** How keys are written where they leak. */
const SPELLINGS: Record<string, (key: string) => string> = {
  'as it is': (key) => key,
  'with CRLF': (key) => key.replaceAll('\n', '\r\n'),
  'in a JSON string': (key) => JSON.stringify(key).slice(1, -1),
  'in JSON within JSON': (key) => JSON.stringify(JSON.stringify(key).slice(1, -1)).slice(1, -1),
  'in JSON, with CRLF': (key) => JSON.stringify(key.replaceAll('\n', '\r\n')).slice(1, -1),
  'indented, as in YAML': (key) => key.replaceAll('\n', '\n        '),
  'indented by a tab': (key) => key.replaceAll('\n', '\n\t'),
  'quoted, as in a mail': (key) => key.replaceAll('\n', '\n> '),
  'in a comment': (key) => key.replaceAll('\n', '\n * '),
  'as strings added up': (key) => key.replaceAll('\n', '\\n" +\n    "'),
  'as a list of strings': (key) => key.replaceAll('\n', "',\n  '"),
  'as lines that go on': (key) => key.replaceAll('\n', '\\\n'),
  'with empty lines between': (key) => key.replaceAll('\n', '\n\n'),
  'with blanks at the ends of lines': (key) => key.replaceAll('\n', '  \n'),
  'on one line': (key) => key.replaceAll('\n', ' '),
  'without line ends': (key) => key.replaceAll('\n', ''),
}

/** Those spell headers within the armour like the text around them. */
const NEEDS_LINES = /Proc-Type|Version/

describe.each(Object.entries(KEYS))('a private key in %s', (_, key) => {
  test.each(Object.entries(SPELLINGS))('is covered from its header to its end, %s', (name, spell) => {
    if (NEEDS_LINES.test(key) && /one line|without line ends/.test(name)) return
    const leak = spell(key)
    expect(replaced(`a ${leak} b`)).toBe('a █ b')
    expect(replaced(`key: "${leak}"\nAnd the text goes on. Thanks!`)).toBe(
      'key: "█"\nAnd the text goes on. Thanks!',
    )
  })

  test('is covered up to its end if it is truncated', () => {
    for (const left of [0.5, 0.7, 0.9]) {
      const part = key.slice(0, Math.floor(left * key.length)).trimEnd()
      expect(replaced(`a ${part}`)).toMatch(/^a █[\s-]*(?:E[A-Z0-9 ]*)?$/)
      expect(replaced(`a ${part}\n\nThat was all, I am afraid.`)).toMatch(
        /█[\s-]*(?:E[A-Z0-9 ]*)?\s+That was all, I am afraid.$/,
      )
    }
  })
})

const PROSE = [
  'A file that begins with %H is a secret, so never commit it. The rest of this answer explains how to keep it safe.',
  'It starts with %H and ends with %F; what stands between is base64.',
  'Look for this line:\n\n%H\n\nand delete the file that has it. Then rotate the key, and tell the team about it.',
  '%H\nThe key goes here, on lines of 64 characters.\n%F',
  '%H\n...\n%F',
  '%H\nMIIE...\n%F',
  '%H\n<your key>\n%F',
  '%H\nXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX\n%F',
  '```\n%H\n```\nThis header is all that the rule looks for, internationalization aside.',
  '`%H` is how a key begins,\nnotwithstandingtheforegoing and so on.',
  '%H\nNote: this is no key.\nComment: nor is this.\n\nIt is only an example, as the next paragraph says at some length.',
  'grep -rn "%H" .',
  "if (text.startsWith('%H')) return 'private'\n  const lines = text.split('\\n')\n  return parse(lines)",
]

describe('a header quoted in prose', () => {
  test.each(PROSE)('removes nothing: %j', (prose) => {
    for (const what of ['PRIVATE KEY', 'RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK']) {
      const text = prose.replaceAll('%H', header(what)).replaceAll('%F', footer(what))
      expect(replaced(text)).toBe(text)
      expect(new Scanner(CATALOGUE).detect(text)).toEqual([])
    }
  })

  test('does not hide a key after it', () => {
    const key = KEYS['SEC 1'] as string
    const text = `It starts with ${header('EC PRIVATE KEY')}, as this one:\n\n`
    expect(replaced(`${text}${key}\nDone.`)).toBe(`${text}█\nDone.`)
  })
})

test('text after a key without an end line is not covered', () => {
  const key = (KEYS['PKCS#8'] as string).replace(/\n-----END.*/, '')
  const text = 'Then install it with chmod 600. See the manual for the rest.'
  for (const gap of ['\n', '\n\n', '\r\n', '"\n', '```\n'])
    expect(replaced(`${key}${gap}${text}`)).toBe(`█${gap}${text}`)
})

test('a PuTTY file is covered, prose about one is not', () => {
  const key = `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: aes256-cbc\nComment: eddsa-key of ada\nPublic-Lines: 2\n${wrapped(randomBytes(51).toString('base64'), 64)}\nKey-Derivation: Argon2id\nArgon2-Memory: 8192\nArgon2-Passes: 21\nArgon2-Parallelism: 1\nArgon2-Salt: ${randomBytes(16).toString('hex')}\nPrivate-Lines: 1\n${randomBytes(48).toString('base64')}\nPrivate-MAC: ${randomBytes(32).toString('hex')}`
  for (const leak of [key, key.replaceAll('\n', '\r\n'), JSON.stringify(key).slice(1, -1)]) {
    expect(replaced(`a ${leak} b`)).toBe('a █ b')
  }
  const prose =
    'The first line is PuTTY-User-Key-File-3: ssh-rsa\nwhich names the format.\nEncryption: see below, and so on.'
  expect(replaced(prose)).toBe(prose)
})

test('the findings do not depend on how a text is split into chunks', () => {
  const pieces = fc.constantFrom(
    ...Object.values(KEYS),
    ...Object.values(SPELLINGS).map((spell) => spell(KEYS['SEC 1'] as string)),
    ...PROSE.map((prose) =>
      prose.replaceAll('%H', header('RSA PRIVATE KEY')).replaceAll('%F', footer('RSA PRIVATE KEY')),
    ),
    ...['\n', '\n\n', '\\n', ' ', '"', '-----', 'QUJDabc0', '\r', '-----END', 'a b'],
    header('RSA PRIVATE KEY'),
    footer('RSA PRIVATE KEY'),
  )
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 6 }),
      fc.array(fc.nat(200), { minLength: 1, maxLength: 20 }),
      (parts, cuts) => {
        const text = parts.join('')
        let out = ''
        const found: [number, number][] = []
        const detections: { start: number; end: number }[] = []
        const scan = scanner.open(
          textSink(text, {
            text: (piece) => {
              out += piece
            },
            covered: (piece) => {
              out += piece
            },
            match: (detection) => detections.push(detection),
          }),
        )
        for (let place = 0, index = 0; place < text.length; index++) {
          const size = (cuts[index % cuts.length] as number) + 1
          scan.push(text.slice(place, place + size))
          place += size
        }
        scan.end()
        for (const { start, end } of detections) found.push([start, end])
        expect(out).toBe(text)
        expect(found).toEqual(scanner.detect(text).map(({ start, end }) => [start, end]))
      },
    ),
    { numRuns: runs },
  )
})
