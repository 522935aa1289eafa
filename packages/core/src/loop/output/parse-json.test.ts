import { collect, ScriptedModel, text } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import { parseJson } from './parse-json.ts'

const schema = z.strictObject({ a: z.number() })
const found = { success: true, value: { a: 1 } }

/** Answers that have `{"a":1}` once, as models write it. */
const ANSWERS: Readonly<Record<string, string>> = {
  'by itself': '{"a":1}',
  'behind a byte order mark': '\ufeff{"a":1}',
  'between white space': '\n \u00a0{"a":1}\r\n\n',
  'in a fence': '```json\n{"a":1}\n```',
  'in a fence of another language': '~~~\n```JSONC title="x"\n{"a":1}\n```\n~~~',
  'in a fence that never ends': 'Here:\n```\n{ "a": 1 }',
  'in a fence on one line': '```json {"a":1}```',
  'in a fence behind a byte order mark': '\ufeff```json\r\n{"a":1}\r\n```\r\n',
  'between sentences': 'Sure! Here it is: {"a":1} Anything else?',
  'behind a sentence in quotes': '"Here you go": {"a":1}',
  'behind a word that is JSON': 'true: {"a":1}',
  'behind another value': 'By [1] and {"b":2}:\n{"a":1}\nSources: [1, 2]',
  'behind brackets without JSON': '(see [the note] and {name})\n{"a":1}',
  twice: '{"a":1}\n\nAgain: { "a": 1 }',
}

describe('a structured answer', () => {
  test.each(Object.entries(ANSWERS))('is read %s', async (_, answer) => {
    expect(await parseJson(answer, schema)).toEqual(found)
    const model = () => new ScriptedModel([text(answer, { chunkSize: 1 })])
    expect(await new Agent({ model: model() }).generate('?', { output: schema })).toMatchObject({
      object: { a: 1 },
      text: answer,
    })
    const stream = new Agent({ model: model() }).stream('?', { output: schema })
    const objects = (await collect(stream.fullStream)).flatMap((chunk) =>
      chunk.type === 'object-delta' ? [chunk.object] : [],
    )
    expect((await stream.result).object).toEqual({ a: 1 })
    expect(objects.at(-1)).toEqual(answer.includes('"b"') ? { b: 2 } : { a: 1 })
  })

  test.each([
    ['a list', z.array(z.number()), 'I chose {these}: [1, 2].', [1, 2]],
    ['a string in a fence', z.enum(['yes', 'no']), '```json\n"yes"\n```', 'yes'],
    ['a number in a fence', z.number(), 'It is:\n```\n42\n```\nDone.', 42],
    [
      'text with a fence',
      z.object({ code: z.string() }),
      '{"code":"```js\\n{}\\n```"}',
      { code: '```js\n{}\n```' },
    ],
    ['the key __proto__', z.unknown(), 'So: {"__proto__":1}', JSON.parse('{"__proto__":1}')],
  ])('is read if it is %s', async (_, schema, answer, value) => {
    expect(await parseJson<unknown>(answer, schema)).toEqual({ success: true, value })
  })

  test.each([
    ['two values that match', 'First {"a":1}, then {"a":2}.', 'it contains different JSON values that match'],
    ['a value within another', '{"b":{"a":1}}', 'b'],
    ['a value within another, between sentences', 'So: {"b":{"a":1}}!', 'b'],
    ['a value within what is not JSON', '{\'b\': {"a":1}}', 'it is not JSON'],
    ['a value within brackets that never close', 'see [note {"a":1}', 'it is not JSON'],
    ['a value that is cut', '```json\n{"a":1', 'it is not JSON'],
    ['no value', 'The answer is 1.', 'it is not JSON'],
    ['nothing', '', 'it is not JSON'],
    ['a value in a string', '"{\\"a\\":1}"', 'expected object'],
    ['too many values', Array.from({ length: 200 }, (_, a) => `[${a}]`).join(), 'more than 100 JSON values'],
  ])('is refused if it has %s', async (_, answer, message) => {
    const result = await parseJson(answer, schema)
    expect(result).toMatchObject({ success: false, error: { message: expect.stringContaining(message) } })
  })

  test('refuses a wrong value without a word of it in the error', async () => {
    const run = new Agent({ model: new ScriptedModel(['My secret is {no}.']) }).generate('?', {
      output: schema,
    })
    await expect(run).rejects.toMatchObject({
      code: 'MODEL_OUTPUT_INVALID',
      message: expect.not.stringContaining('secret'),
    })
  })

  test('finds JSON in any sentences without brackets', async () => {
    const prose = fc.string({ unit: 'binary' }).map((words) => words.replaceAll(/[[\]{}`]/g, ''))
    await fc.assert(
      fc.asyncProperty(prose, fc.object(), prose, async (before, value, after) => {
        const given: unknown = JSON.parse(JSON.stringify(value))
        const answer = `${before}\n${JSON.stringify(given)}\n${after}`
        expect(await parseJson(answer, z.record(z.string(), z.unknown()))).toEqual({
          success: true,
          value: given,
        })
      }),
    )
  })
})
