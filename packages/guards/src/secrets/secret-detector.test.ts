import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from '@millrace/core'
import { ScriptedModel, text } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Scanner } from '../scanner/scanner.ts'
import { CATALOGUE } from './catalogue.ts'
import { SecretDetector } from './secret-detector.ts'

const runs = process.env.MILLRACE_THOROUGH === '1' ? 2_000 : 100
const scanner = new Scanner(CATALOGUE)

/**
 * Drawn from letters and digits as a service draws, so without a bias to few of them. Tokens are put together here, so that
 * no scanner takes this file for a leak.
 */
const drawn = (length: number, alphabet = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789') =>
  fc.noBias(fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length })).filter(
    (value) =>
      new Set(value).size > Math.min(length, alphabet.length) / 2 &&
      // Letters with a number at the end are a name.
      /\d.*[a-z]/i.test(value) &&
      !/^x{4}|x{4}$/i.test(value),
  )
const hex = (length: number) => drawn(length, '0123456789abcdef')

/** A text around a value, and the value. */
type Leak = [text: string, value: string]

const leaks: [string, fc.Arbitrary<Leak>][] = [
  ['a GitHub token', drawn(36).map((body) => [`git clone with ${`ghp_${body}`} please`, `ghp_${body}`])],
  [
    'an AWS access key',
    drawn(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567').map((body) => [`id AKIA${body}.`, `AKIA${body}`]),
  ],
  [
    'an OpenAI key',
    drawn(40).map((body) => [`"sk-proj-${body}T3BlbkFJ${body}"`, `sk-proj-${body}T3BlbkFJ${body}`]),
  ],
  ['a Stripe key', drawn(24).map((body) => [`key: sk_live_${body}\n`, `sk_live_${body}`])],
  [
    'a password in a connection string',
    drawn(14).map((body) => [`postgres://app:${body}@db.internal:5432/x`, `app:${body}`]),
  ],
  [
    'a bearer token',
    drawn(40).map((body) => [`curl -H "Authorization: Bearer ${body}" https://x.example`, body]),
  ],
  [
    'credentials of curl',
    drawn(16).map((body) => [`curl -u admin:${body} https://x.example`, `admin:${body}`]),
  ],
  ['an assigned secret', drawn(32).map((body) => [`const clientSecret = '${body}'`, body])],
  ['a secret in JSON', drawn(32).map((body) => [`{"api_key":"${body}","a":1}`, body])],
  ['a secret in YAML', hex(32).map((body) => [`service:\n  token: ${body}\n  port: 80`, body])],
  ['a secret of the environment', drawn(40).map((body) => [`export MY_ACCESS_TOKEN=${body}`, body])],
  ['a secret in a query', drawn(32).map((body) => [`https://x.example/?access_token=${body}&page=2`, body])],
  ['a secret as an argument', drawn(32).map((body) => [`deploy --api-key ${body} --now`, body])],
  ['a key of a named service', hex(32).map((body) => [`algolia_app = "${body}"`, body])],
]

describe.each(leaks)('%s', (_, arbitrary) => {
  test('is redacted, without the text around it', () => {
    fc.assert(
      fc.property(arbitrary, ([leak, value]) => {
        expect(scanner.replace(leak, () => '█')).toBe(leak.replace(value, '█'))
      }),
      { numRuns: runs },
    )
  })
})

/** By their prefixes alone, put together here for the same reason. */
test.each([
  ['bkua', '_', 40, 'hex'],
  ['CFPAT', '-', 43, 'any'],
  ['csk', '-', 48, 'small'],
  ['fw', '_', 24, 'any'],
  ['napi', '_', 64, 'small'],
  ['nfp', '_', 36, 'any'],
  ['oy2', '', 43, 'small'],
  ['phx', '_', 43, 'any'],
  ['re_a1B2c3D4', '_', 24, 'any'],
  ['rnd', '_', 28, 'any'],
  ['rzp_live', '_', 14, 'any'],
  ['sk', '-', 48, 'any'],
  ['sk', '_', 48, 'hex'],
  ['tvly', '-', 32, 'any'],
  ['xau', '_', 40, 'any'],
  ['A'.repeat(22), '', 90, 'any'],
] as const)('a token that begins with %s%s is found by itself', (prefix, separator, length, kind) => {
  const alphabet = { hex: '0123456789abcdef', small: 'abcdefghijkmnpqrstuvwxyz23456789', any: undefined }[
    kind
  ]
  fc.assert(
    fc.property(drawn(length, alphabet), (body) => {
      const token = `${prefix}${separator}${body}`
      expect(scanner.replace(`It is ${token}, he said.`, () => '█')).toBe('It is █, he said.')
    }),
    { numRuns: runs },
  )
})

describe('a password that somebody tells', () => {
  const password = ['Sommer', '2031', '!x'].join('')
  test.each([
    `The password is ${password}.`,
    `the passphrase for the router is "${password}", by the way`,
    `Das Passwort lautet ${password} und gilt ab heute.`,
    `Kennwort: ${password}`,
    `le mot de passe est ${password}`,
    `La contraseña es: ${password}`,
    `la password è ${password}`,
    `A senha do wifi é ${password}`,
    `Het wachtwoord is ${password}`,
    `Hasło to ${password}`,
    `пароль: ${password}`,
    `Пароль от почты — ${password}`,
    `密码是${password}`,
    `パスワードは${password}です`,
    `비밀번호는 ${password} 입니다`,
    `كلمة المرور هي ${password}`,
  ])('%s', (said) => {
    expect(scanner.replace(said, () => '█')).toBe(said.replace(password, '█'))
  })

  test.each([
    'The password is required and must have 12 characters.',
    'The password is: please.',
    'Das Passwort ist falsch.',
    'The password is stored in 1password.',
    'My password was changed on 2024-05-06.',
    'le mot de passe est obligatoire',
    'La contraseña es incorrecta',
    'пароль — это секрет',
    '密码是必填项',
  ])('%s tells none', (said) => {
    expect(scanner.detect(said)).toEqual([])
  })
})

test.each([
  'op://Private/github/token2',
  'arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-a1B2c3',
  'vault:secret/data/prod2#api_key',
  'ref+vault://secret/prod2/db#password',
  'keyvault:prod2/api-key-7f3',
  '@Microsoft.KeyVault(SecretUri=https://v.example.com/s/1)',
])('%s says where a secret is, and is none', (reference) => {
  for (const said of [`API_TOKEN="${reference}"`, `password: ${reference}`, `secret = '${reference}'`])
    expect(scanner.detect(said)).toEqual([])
})

test('an assignment after a reference is not a part of the reference', () => {
  const token = ['k7Qp2vX9', 'sLm4Tz8R', 'bY3wN5c6'].join('')
  expect(scanner.detect(`vault:api_token=${token}`)).toHaveLength(1)
})

test('a password in the syntax of OpenSSL is a password, not a reference', () => {
  const password = ['Sommer', '2031', 'xq'].join('')
  expect(scanner.detect(`password = "pass:${password}"`)).toHaveLength(1)
})

test.each([
  '2023-01-19T06:13:39.085Z',
  'photos/2024/IMG_20241220_325010.jpg',
  'PROJ-12345',
  'urn:uuid:123e4567-e89b-12d3-a456-426614174000',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'evt_1NG8Du2eZvKYlo2CUI79vXWy',
  'INV-2024-00123',
  'RP861657315DE',
])('%s is the key of something, and no secret', (value) => {
  for (const text of [`{"key":"${value}"}`, `Contents\nKey: ${value}`])
    expect(scanner.detect(text)).toEqual([])
})

test('does not flag common strings of programs, documents and logs', () => {
  const texts = readFileSync(join(import.meta.dirname, '../../test/harmless-near-secrets.txt'), 'utf8')
    .trimEnd()
    .split('\n')
  expect(texts.length).toBeGreaterThan(100)
  expect(texts.filter((text) => scanner.detect(text).length > 0)).toEqual([])
})

test.each([
  ['smtp_pass: Zx9kQ2mPzz', 'Zx9kQ2mPzz'],
  ['Password:Zx9k#Q2mP', 'Zx9k#Q2mP'],
  ['spring.datasource.password=Zx9kQ2mP', 'Zx9kQ2mP'],
])('%s has one', (text, secret) => {
  expect(scanner.detect(text).map(({ start, end }) => text.slice(start, end))).toContain(secret)
})

describe('recognizers of secrets', () => {
  const armour = (what: string, body: string): string =>
    `-----BEGIN ${what}-----\n${body}\n-----END ${what}-----`
  const base64 = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ'.repeat(30)

  test('cover a private key from its header to its end', () => {
    const key = armour('RSA PRIVATE KEY', base64)
    expect(scanner.replace(`a ${key} b`, () => '█')).toBe('a █ b')
    expect(scanner.replace(`a ${key.slice(0, -40)}`, () => '█')).toBe('a █')
    expect(scanner.detect(armour('PUBLIC KEY', base64))).toEqual([])
    expect(scanner.detect(armour('CERTIFICATE', base64))).toEqual([])
  })

  test('cover the whole JWT', () => {
    const part = (value: object): string => btoa(JSON.stringify(value)).replace(/=+$/, '')
    const token = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: '1234567890', name: 'Jo' })}.${'aB3_'.repeat(12)}`
    expect(scanner.replace(`x ${token}, y`, () => '█')).toBe('x █, y')
  })

  test.each([
    ['a commit', 'commit 3f2a9c1b04d2e5f60718293a4b5c6d7e8f901234'],
    ['a checksum', 'sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    [
      'a lock file',
      '  resolution: {integrity: sha512-dBpDMdxv9Irdq66304OLfEmQ9tbNRFnFTuZiLo+bD+r332bBmMJ8GBLXklIXXgxd3+v9+KUnZaUR5PJMa75Gsg==}',
    ],
    ['a UUID', 'id: 123e4567-e89b-12d3-a456-426614174000'],
    ['a client id', 'clientId = "73082700-1f09-405b-80d0-3131bfd6272d"'],
    ['a variable', 'password = process.env.DB_PASSWORD_2 || config.get("db.password1")'],
    ['a template', `api_key: \${{ secrets.API_KEY_V2 }}`],
    ['a placeholder', 'OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'],
    ['an instruction', 'Authorization: Bearer <your-api-token-here1>'],
    ['a type', 'token: string, secretKey: Uint8Array<ArrayBuffer>, keyType: "ed25519"'],
    ['a public key', 'publicKey: "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="'],
    ['a path', 'keyFile: /etc/ssl/private/server1.key, tokenUrl: https://auth.example.com/oauth2/token'],
    [
      'prose',
      'The key to success2day is: authentication. Token budgets: 200000 in, 8192 out. Keyboard: qwerty123.',
    ],
    ['an address', 'https://example.com:8080/a?b=c user@example.com'],
    [
      'where a list continues',
      '{"nextPageToken": "CAUQAAw3Zk9sLm4Tz8RbY3wN5", "continuation_token": "k7Qp2vX9sLm4Tz8RbY3w"}',
    ],
    ['a question', 'Can you give me hints about the password, right? Or is the password: please. Thanks!'],
    ['a user and a group', 'docker run -u 1000:1000 image'],
  ])('leave %s alone', (_, harmless) => {
    expect(scanner.detect(harmless)).toEqual([])
  })
})

describe('SecretDetector', () => {
  test('redacts in the answer, however it is split into chunks', async () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    for (const chunkSize of [1, 5, 100]) {
      const model = new ScriptedModel([text(`Use ${token}, not { "password": "hunter2x9" }.`, { chunkSize })])
      const agent = new Agent({ name: 'a', model, processors: [new SecretDetector({ redaction: 'type' })] })
      expect((await agent.generate('hi')).text).toBe(
        'Use [GITHUB_TOKEN], not { "password": "[SECRET_ASSIGNMENT]" }.',
      )
    }
  })
})
