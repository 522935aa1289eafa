import { Scanner } from '@millrace/guards/scanner'
import { secretRecognizers } from '@millrace/guards/secrets'
import { piiRecognizers } from '@millrace/pii'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textSink } from '../../../guards/test/text-sink.ts'

const runs = process.env.MILLRACE_THOROUGH === '1' ? 5_000 : 200

const personal = `Born 12/05/1987, jo@example.com or jo.doe@mail.example.co.uk., card 4111 1111 1111 1111 and 3782 822463 10005;
 IBAN GB82 WEST 1234 5698 7654 32 in words, call 467 3395 or +1 (212) 555-0199 x12, from 2001:db8::1. or 203.0.113.7/24,
 passport C03005988, SSN 536-90-4399, redis://app:hunter2@cache:6379, 00-1B-44-11-3A-B7, X1234567L, 131052-308T é 🦊`
const secret = `{"api_key":"k7Qp2vX9sLm4Tz8RbY3wN5","n":1} password = hunter2x9! curl -u admin:k7Qp2vX9sLm4 https://x.example
 Authorization: Bearer k7Qp2vX9sLm4Tz8RbY3w postgres://app:k7Qp2vX9@db/x?token=k7Qp2vX9sLm4Tz8RbY3w&page=2 --token k7Qp2vX9sLm4Tz8R
 -----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASC\n-----END PRIVATE KEY----- x
 eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.k7Qp2vX9sLm4Tz8RbY3wk7Qp2vX9sLm4, end`

describe.each([
  ['personal data', personal, async () => await piiRecognizers()],
  ['secrets', secret, secretRecognizers],
])('%s', (_, text, load) => {
  test('is redacted in the same way however the text is cut', async () => {
    const scanner = new Scanner(await load())
    const whole = scanner.replace(text, ({ type }) => `<${type}>`)
    expect(whole).not.toMatch(/4111|example\.(?:com|co)|hunter2|k7Qp2|MIIE|C03005988|536-90/)
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 30 }), (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), text.length]
        let out = ''
        const scan = scanner.open(
          textSink(text, {
            text: (piece) => {
              out += piece
            },
            match: ({ type }, _value, { continues }) => {
              if (!continues) out += `<${type}>`
            },
          }),
        )
        for (const [index, end] of cuts.slice(1).entries()) scan.push(text.slice(cuts[index], end))
        scan.end()
        expect(out).toBe(whole)
      }),
      { numRuns: runs },
    )
  })
})
