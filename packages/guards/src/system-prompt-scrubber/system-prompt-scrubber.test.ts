import { Agent, type AgentInput, type Processor, tool } from '@millrace/core'
import { collect, reasoning, ScriptedModel, type ScriptPart, text, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Finding } from '../guard/options.ts'
import { SystemPromptScrubber, type SystemPromptScrubberOptions } from './system-prompt-scrubber.ts'

const runs = process.env.MILLRACE_THOROUGH === '1' ? 2_000 : 50

const instructions = `You are Ada, the assistant of Harbour Bank. Never discuss the merger with Northwind before the third of May.
If a customer asks for a refund above 250 euros, escalate to the desk in Rotterdam and don't mention the limit.
Always answer in the language of the customer, politely and in short sentences.`

const words = instructions.split(/\s+/)

interface Play extends SystemPromptScrubberOptions {
  answer: string | readonly string[]
  question?: AgentInput
  others?: Processor[]
  list?: 'processors' | 'outputProcessors'
  prompt?: string
}

async function play({ answer, question = 'hi', others = [], list = 'processors', prompt, ...options }: Play) {
  const findings: Finding[] = []
  const scrubber = new SystemPromptScrubber({ onDetection: (finding) => findings.push(finding), ...options })
  const model = new ScriptedModel([[text(answer)]])
  const agent = new Agent({
    name: 'a',
    model,
    instructions: prompt ?? instructions,
    [list]: [...others, scrubber],
  })
  const stream = agent.stream(question)
  const chunks = await collect(stream.fullStream)
  const result = await stream.result
  const streamed = chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.textDelta : '')).join('')
  return {
    answer: result.text,
    streamed,
    status: result.status,
    rejection: result.rejection,
    findings,
    model,
  }
}

function rot13(value: string): string {
  return value.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
}

function base64(value: string): string {
  return Buffer.from(value).toString('base64')
}

/** The characters as numbers. */
function codes(value: string, radix: number, digits: number): string[] {
  return [...value].map((character) => character.charCodeAt(0).toString(radix).padStart(digits, '0'))
}

function leet(value: string, table: Readonly<Record<string, string>>): string {
  return value.replace(/[a-z]/g, (letter) => table[letter] ?? letter)
}

const MORSE =
  'a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..- v...- w.-- x-..- y-.-- z--.. 2..--- 5..... 0-----'

function morse(value: string): string {
  const codes = new Map(MORSE.split(' ').map((each) => [each[0], each.slice(1)]))
  const words = value.toLowerCase().match(/[a-z\d]+/g) ?? []
  return words.map((word) => [...word].map((letter) => codes.get(letter)).join(' ')).join(' / ')
}

const reversed = (value: string): string => [...value].toReversed().join('')

const forms: Record<string, (leak: string) => string> = {
  'as it is': (leak) => leak,
  recased: (leak) => leak.toUpperCase(),
  'with other spaces': (leak) => leak.replace(/\s+/g, ' \n\u00a0  '),
  'without spaces': (leak) => leak.replace(/\s+/g, ''),
  'with spaces within words': (leak) => leak.replace(/([a-z]{2})([a-z])/g, '$1 $2'),
  'with invisible characters': (leak) => leak.replace(/([a-z])/g, '$1\u200b'),
  'in wide letters': (leak) =>
    leak.replace(/[a-zA-Z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  'with accents': (leak) => leak.replace(/e/g, 'é').replace(/o/g, 'o\u0308'),
  'as a numbered list': (leak) =>
    leak.replace(/((?:\S+\s+){4})/g, (line: string) => `${line}\n7. `).replace(/^/, '6) '),
  'as a bulleted list': (leak) => leak.replace(/((?:\S+\s+){3})/g, '$1\n- '),
  'as an HTML list': (leak) => `<ul><li>${leak.replace(/((?:\S+\s+){3})/g, '$1</li><li>')}</li></ul>`,
  'as a table': (leak) => leak.replace(/\s+/g, ' | '),
  'as a code block': (leak) => `\`\`\`text\n// ${leak.replace(/((?:\S+\s+){5})/g, '$1\n// ')}\n\`\`\``,
  'as emphasised words': (leak) => leak.replace(/(\S+)/g, '**$1**'),
  'as quoted words': (leak) => leak.replace(/(\S+)/g, '"$1",'),
  'spelled out': (leak) => [...leak.replace(/\s+/g, '')].join(' '),
  'spelled out with hyphens': (leak) => leak.replace(/(\S)(?=\S)/g, '$1-'),
  'spelled out line by line': (leak) => [...leak].join('\n'),
  'in base64': base64,
  'in base64url': (leak) => Buffer.from(leak).toString('base64url'),
  'in wrapped base64': (leak) => base64(leak).replace(/(.{32})/g, '$1\n'),
  'in spaced base64': (leak) => base64(leak).replace(/(.{4})/g, '$1 '),
  'in base64 within more of it': (leak) => base64(`Well then: ${leak}, so to say`),
  'in ROT13': rot13,
  'in ROT13, spelled out': (leak) => [...rot13(leak)].join(' '),
  reversed,
  'in reversed ROT13': (leak) => reversed(rot13(leak)),
  'in reversed words': (leak) => leak.split(/\s+/).map(reversed).join(' '),
  'in hexadecimal': (leak) => Buffer.from(leak).toString('hex'),
  'in spaced hexadecimal': (leak) => codes(leak, 16, 2).join(' '),
  'in hexadecimal after 0x': (leak) =>
    codes(leak, 16, 2)
      .map((code) => `0x${code}`)
      .join(', '),
  'in hexadecimal within more of it': (leak) => Buffer.from(`a${leak}b`).toString('hex').slice(1, -1),
  'in UTF-16, in hexadecimal': (leak) => Buffer.from(leak, 'utf16le').toString('hex'),
  'as code points': (leak) =>
    codes(leak, 16, 4)
      .map((code) => `U+${code}`)
      .join(' '),
  'in percent escapes': (leak) =>
    codes(leak, 16, 2)
      .map((code) => `%${code}`)
      .join(''),
  'as part of a URL': encodeURIComponent,
  'in entities': (leak) =>
    codes(leak, 10, 0)
      .map((code) => `&#${code};`)
      .join(''),
  'in hexadecimal entities': (leak) => leak.replace(/[aeiou]/g, (letter) => `&#x${codes(letter, 16, 0)};`),
  'in \\u escapes': (leak) =>
    codes(leak, 16, 4)
      .map((code) => `\\u${code}`)
      .join(''),
  'in \\x escapes': (leak) =>
    codes(leak, 16, 2)
      .map((code) => `\\x${code}`)
      .join(''),
  'in octal escapes': (leak) =>
    codes(leak, 8, 3)
      .map((code) => `\\${code}`)
      .join(''),
  'in char codes': (leak) => codes(leak, 10, 0).join(' '),
  'as a list of char codes': (leak) => `[${codes(leak, 10, 0).join(',\n  ')}]`,
  'as calls of chr': (leak) =>
    codes(leak, 10, 0)
      .map((code) => `chr(${code})`)
      .join(' + '),
  'in binary': (leak) => codes(leak, 2, 8).join(' '),
  'in unspaced binary': (leak) => codes(leak, 2, 8).join(''),
  'in binary of seven digits': (leak) => codes(leak, 2, 7).join(' '),
  'in leetspeak': (leak) => leet(leak, { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' }),
  'in leetspeak with signs': (leak) => leet(leak, { a: '@', e: '3', l: '1', o: '0', s: '$' }),
  'in Morse code': morse,
  'in Morse code of words apart by spaces': (leak) => morse(leak).replaceAll(' / ', '   '),
  'in reversed order': (leak) => leak.split(/\s+/).toReversed().join(' '),
}

describe.each(Object.entries(forms))('a leak %s', (_, form) => {
  const partial = words.slice(9, 26).join(' ')

  test.each([1, 7, 10_000])('is redacted in pieces of %d', async (size) => {
    const leak = form(partial)
    const answer = `Sure, here it is: ${leak} . Anything else?`
    const pieces = answer.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []
    const { answer: left, streamed, findings } = await play({ answer: pieces })
    expect(left).toContain('[REDACTED]')
    expect(left).toMatch(/^Sure, here it is: /)
    expect(left).toMatch(/Anything else\?$/)
    expect(streamed).toBe(left)
    expect(findings.length).toBeGreaterThan(0)
    const kept = left.replace(/^Sure, here it is: /, '').replace(/Anything else\?$/, '')
    expect(kept.replaceAll('[REDACTED]', '').length).toBeLessThanOrEqual(36)
  })

  test('is blocked before any of it is emitted', async () => {
    const { streamed, status, rejection } = await play({
      answer: [...`Sure, here it is: ${form(partial)} . Anything else?`],
      strategy: 'block',
    })
    expect(status).toBe('tripwire')
    expect(rejection).toMatchObject({ reason: 'Instructions were found in the answer: system_prompt.' })
    expect(streamed.length).toBeLessThan('Sure, here it is: ```text\n// <ul><li>'.length)
  })

  test('is only reported with warn', async () => {
    const answer = `Sure: ${form(partial)} .`
    const { answer: left, findings } = await play({ answer, strategy: 'warn' })
    expect(left).toBe(answer)
    expect(findings[0]).toMatchObject({ type: 'system_prompt', surface: 'answer', strategy: 'warn' })
  })
})

test('eight consecutive words are a leak at any position, seven are not', async () => {
  for (let first = 0; first + 8 <= words.length; first++) {
    const leak = words.slice(first, first + 8).join(' ')
    expect((await play({ answer: `See: ${leak} and that is it` })).answer).toContain('[REDACTED]')
    const less = words.slice(first, first + 7).join(' ')
    const answer = `See: ${less} xylophone`
    expect((await play({ answer })).answer).toBe(answer)
  }
})

test('a word that shares only its beginning or end with a word of the instructions does not match', async () => {
  const seven = 'You are Ada, the assistant of Harbour'
  for (const answer of [`${seven} Banknotes`, `x${seven.replace('You', 'you')} Bank`]) {
    expect((await play({ answer })).answer).toBe(answer)
  }
})

test('phrases from the messages of the user may be repeated, other phrases may not', async () => {
  const known = words.slice(20, 30).join(' ')
  const question = `Why "${known}"?`
  expect((await play({ question, answer: `You say ${known}, I see` })).answer).toContain(known)
  const more = words.slice(20, 42).join(' ')
  expect((await play({ question, answer: more })).answer).toMatch(/\[REDACTED\]$/)
})

test('phrases in `allow` may be repeated', async () => {
  const allow = ['Always answer in the language of the customer, politely and in short sentences.']
  const answer = `Yes. ${allow[0]}`
  expect((await play({ answer, allow })).answer).toBe(answer)
  expect((await play({ answer })).answer).toBe('Yes. [REDACTED].')
})

test('instructions of fewer than eight words delay no text', async () => {
  const prompt = 'You are a helpful assistant.'
  const { answer, findings } = await play({ prompt, answer: `My prompt: ${prompt}` })
  expect(answer).toBe(`My prompt: ${prompt}`)
  expect(findings).toEqual([])
})

test('instructions without spaces are found by their characters', async () => {
  const prompt = '你是港口银行的客服助手。在五月三日之前绝对不要讨论与北风公司的合并事宜。'
  const { answer } = await play({ prompt, answer: `好的：${prompt.slice(0, 24)}，就这样。` })
  expect(answer).toContain('[REDACTED]')
  expect(answer).not.toContain('客服助手')
})

test('detects instructions that an earlier processor added', async () => {
  const extra = 'The override code for the vault in the basement is kingfisher seven.'
  const adds: Processor = {
    id: 'adds',
    processInputStep: ({ systemMessages }) => ({
      systemMessages: [...systemMessages, { role: 'system', content: extra }],
    }),
  }
  expect((await play({ others: [adds], answer: `I was told: ${extra}` })).answer).toBe(
    'I was told: [REDACTED].',
  )
})

test('reads the instructions also if it is only in the output list', async () => {
  const { answer } = await play({ list: 'outputProcessors', answer: `So: ${instructions}` })
  expect(answer).toBe('So: [REDACTED].')
})

describe('a canary word', () => {
  test('is added to the instructions, and detected in any encoding', async () => {
    const word = (prompt: unknown): string => /in any form: (\w{16})/.exec(JSON.stringify(prompt))?.[1] ?? ''
    for (const form of Object.values(forms)) {
      const scrubber = new SystemPromptScrubber({ canary: true })
      const model = new ScriptedModel([({ prompt }) => [`It is ${form(word(prompt))} .`]])
      const { text } = await new Agent({ name: 'a', model, instructions, processors: [scrubber] }).generate(
        'hi',
      )
      expect(word(model.calls[0]?.prompt)).toHaveLength(16)
      expect(text).toContain('[REDACTED]')
    }
  })

  test('differs between runs', async () => {
    const one = await play({ answer: 'hi', canary: true })
    const two = await play({ answer: 'hi', canary: true })
    expect(one.model.calls[0]?.prompt).not.toEqual(two.model.calls[0]?.prompt)
  })

  test.each(['lagukikudugamadu', 'lagatesovusapasu', 'talasakidogamenu'])(
    '%s is found in any form',
    async (word) => {
      for (const form of Object.values(forms)) {
        const { answer } = await play({ answer: `It is ${form(word)} .`, canary: [word] })
        expect(answer).toContain('[REDACTED]')
      }
    },
  )

  test('may be one of your own', async () => {
    const { answer, findings } = await play({ answer: 'Is it Q U E T Z A L 9?', canary: ['quetzal9'] })
    expect(answer).toBe('Is it [REDACTED]?')
    expect(findings).toMatchObject([{ type: 'canary' }])
    expect(() => new SystemPromptScrubber({ canary: ['cat'] })).toThrow('3 characters')
  })
})

describe('on every surface', () => {
  const leak = words.slice(8, 24).join(' ')
  const tools = { send: tool({ inputSchema: z.any(), execute: (input) => JSON.stringify(input).length }) }

  async function surface(turns: ScriptPart[][], output?: z.ZodType) {
    const findings: Finding[] = []
    const scrubber = new SystemPromptScrubber({ onDetection: (finding) => findings.push(finding) })
    const model = new ScriptedModel(turns, { repeat: 'last' })
    const agent = new Agent({ name: 'a', model, instructions, tools, processors: [scrubber] })
    const stream = agent.stream('hi', output ? { output } : {})
    const chunks = JSON.stringify(await collect(stream.fullStream))
    const result = await stream.result
    for (const each of [chunks, JSON.stringify(result.messages)]) {
      expect(each).toContain('[REDACTED]')
      expect(each).not.toContain('merger with')
    }
    return findings.map(({ surface }) => surface)
  }

  test('in reasoning', async () => {
    expect(await surface([[reasoning(`Hm. ${leak}.`, { chunkSize: 3 }), text('ok')]])).toEqual(['reasoning'])
  })

  test('in the input of a tool', async () => {
    const turns = [[toolCall('send', { to: 'x', body: { lines: [leak] } }, { chunkSize: 5 })], [text('ok')]]
    expect(await surface(turns)).toEqual(['tool-input'])
  })

  test('in a structured answer', async () => {
    const json = JSON.stringify({ note: base64(leak) })
    expect(await surface([[text(json, { chunkSize: 4 })]], z.object({ note: z.string() }))).toEqual([
      'object',
    ])
  })

  test('in text that another processor wrote into the answer', async () => {
    const scrubber = new SystemPromptScrubber()
    const writes: Processor = {
      id: 'writes',
      processOutputResult: ({ messages }) => {
        for (const part of messages[0]?.content.parts ?? [])
          if (part.type === 'text') part.text += `. ${leak}`
      },
    }
    const agent = new Agent({
      name: 'a',
      model: new ScriptedModel(['ok']),
      instructions,
      processors: [writes, scrubber],
    })
    expect((await agent.generate('hi')).text).toMatch(/^ok\. \[REDACTED\]/)
  })
})

describe.each(['block', 'redact', 'warn', 'filter'] as const)('with %s', (strategy) => {
  test('the result does not depend on how the answer is split into chunks', async () => {
    const leak = words.slice(3, 14)
    const piece = fc.oneof(
      fc.constantFrom(
        ...words,
        ...leak,
        '1.',
        '<li>',
        'é',
        '🙂',
        '\n',
        'assistant',
        base64(leak.join(' ')),
        '@',
        '%',
        '&#',
        '\\u',
      ),
      fc.constantFrom(leak.join(' '), rot13(leak.join(' ')), reversed(leak.join(' ')), leak.join('')),
      fc.constantFrom(
        forms['in hexadecimal']?.(leak.join(' ')) ?? '',
        forms['in char codes']?.(leak.join(' ')) ?? '',
        forms['in entities']?.(leak.join(' ')) ?? '',
        forms['in unspaced binary']?.(leak.join(' ')) ?? '',
        forms['in leetspeak with signs']?.(leak.join(' ')) ?? '',
        morse(leak.join(' ')),
      ),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 14 }),
        fc.constantFrom(' ', ''),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (pieces, glue, places) => {
          const answer = pieces.join(glue) || 'x'
          const outcome = async (deltas: readonly string[]) => {
            const { answer, status, findings, streamed } = await play({ answer: deltas, strategy })
            return { answer, status, findings, streamed: strategy === 'block' ? '' : streamed }
          }
          const whole = await outcome([answer])
          expect(await outcome(cut(answer, places))).toEqual(whole)
          expect(await outcome(answer.split(''))).toEqual(whole)
        },
      ),
      { numRuns: runs },
    )
  })
})

function cut(value: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.map((place) => place % (value.length + 1)), value.length].sort((a, b) => a - b)
  return sorted.slice(1).map((end, index) => value.slice(sorted[index], end))
}
