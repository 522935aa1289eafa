import { Scanner } from '@millrace/guards/scanner'
import { secretRecognizers } from '@millrace/guards/secrets'
import { piiRecognizers } from '@millrace/pii'
import { describe, expect, test } from 'vitest'
import { textSink } from '../../../guards/test/text-sink.ts'

const PROSE = `When the committee met on Tuesday, nobody had read the report. "We asked for 12 pages, not 120," said
the chair, and the room went quiet. Outside, the last of the market stalls were being taken down; it was a quarter past
five, and the light was going. The plan, as far as there was one, had been drawn up in 2019 by people who no longer
worked there: see section 4.2, and the notes on page 37. It cost about 3.5 million, half of it for the bridge (which was
never built), and the rest went into studies. A student from the university, who had come to listen, wrote everything
down. Later she said that what struck her most were the pauses. https://example.org has the minutes, if anyone cares.`

describe.each([
  ['personal data', async () => await piiRecognizers()],
  ['secrets', secretRecognizers],
])('every recognizer of %s', (_, load) => {
  test('holds back at most 20 characters of ordinary prose at the median', async () => {
    const scanner = new Scanner(await load())
    const held: number[] = []
    let out = ''
    const scan = scanner.open(
      textSink(PROSE, {
        text: (piece) => {
          out += piece
        },
      }),
    )
    for (const character of PROSE) {
      scan.push(character)
      held.push(scan.held)
    }
    scan.end()
    expect(out).toBe(PROSE)
    held.sort((a, b) => a - b)
    expect(held[held.length >> 1]).toBeLessThanOrEqual(20)
    // A guard that holds nothing back cannot detect anything.
    expect(held.at(-1)).toBeGreaterThan(0)
  })
})

describe('a long secret', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n'
  test.each([
    [
      'PEM',
      `-----BEGIN PRIVATE KEY-----\n${line.slice(0, 40)}`,
      line.slice(40) + line.repeat(24),
      '-----END PRIVATE KEY-----',
      // Text after a line end is part of the key only if it is a line of base64.
      line.length,
    ],
    [
      'JWT',
      `${Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')}.eyJzdWIiOi`,
      'IxMjM0NTY3ODkwIiwibmFtZSI6Ikpv'.repeat(40),
      ' ',
      0,
    ],
  ])(
    'as %s is redacted from its header on, and at most one line of the rest is held',
    async (_name, header, rest, end, most) => {
      const scanner = new Scanner(await secretRecognizers())
      let out = ''
      let matches = 0
      const scan = scanner.open(
        textSink(`This: ${header}${rest}${end}done`, {
          text: (piece) => {
            out += piece
          },
          match: () => {
            matches++
          },
        }),
      )
      for (const character of `This: ${header}`) scan.push(character)
      expect({ matches, out }).toEqual({ matches: 1, out: 'This: ' })
      let held = 0
      for (const character of rest) {
        scan.push(character)
        held = Math.max(held, scan.held)
      }
      expect(held).toBeLessThanOrEqual(most)
      expect({ matches, out }).toEqual({ matches: 1, out: 'This: ' })
      for (const character of `${end}done`) scan.push(character)
      scan.end()
      expect(out.trimEnd()).toMatch(/^This: {1,2}done$/)
      expect(matches).toBe(1)
    },
  )
})
