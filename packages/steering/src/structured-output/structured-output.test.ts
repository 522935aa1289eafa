import { Agent, tool } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { collect, finish, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { completeJson } from './complete-json.ts'
import { JsonExtractor } from './json-extractor.ts'
import { jsonReadings, type Reading } from './json-readings.ts'
import {
  StructuredOutput,
  type StructuredOutputEvent,
  type StructuredOutputOptions,
} from './structured-output.ts'

const output = z.object({ name: z.string(), age: z.number() })
const ADA = { name: 'Ada', age: 36 }
const JSON_TEXT = '{"name":"Ada","age":36}'

async function run(script: unknown, options: StructuredOutputOptions = {}) {
  const repairs: StructuredOutputEvent['how'][] = []
  const model = new ScriptedModel(script as never)
  const processors = [new StructuredOutput({ onRepair: ({ how }) => repairs.push(how), ...options })]
  const stream = new Agent({ model, processors }).stream('Who?', { output })
  const chunks = await collect(stream.fullStream)
  return { model, chunks, repairs, result: await stream.result }
}

describe('an answer that is not quite JSON', () => {
  test.each([
    ['as it should be', JSON_TEXT, []],
    ['in a fence', `\`\`\`json\n${JSON_TEXT}\n\`\`\``, []],
    ['behind a sentence', `Here it is:\n\n${JSON_TEXT}`, []],
    ['before a sentence', `${JSON_TEXT}\nHope that helps!`, []],
    ['in one line with a sentence', `Sure: ${JSON_TEXT}. Bye.`, ['extracted']],
    ['with a trailing comma', '{"name":"Ada","age":36,}', ['repaired']],
    ['with single quotes and bare names', "{name:'Ada',age:36}", ['repaired']],
    ['with a comment', '{"name":"Ada", // first\n"age":36}', ['repaired']],
    ['without its end', '{"age":36,"name":"Ada', ['truncated']],
    ['without its end in a fence', '```json\n{"age":36,"name":"Ada"', ['truncated']],
  ])('is read %s', async (_, answer, expected) => {
    const { result, repairs, model } = await run([answer])
    expect(result.object).toEqual(ADA)
    expect(repairs).toEqual(expected)
    expect(model.callCount).toBe(1)
    expect(JSON.parse(result.text)).toEqual(ADA)
    expect(result.messages[0]?.content.metadata).toEqual(
      expected.length === 0 ? undefined : { structuredOutput: expected[0] },
    )
  })

  test('is requested again if a number is truncated, since it might continue', async () => {
    const { result, model } = await run([
      [text('{"name":"Ada","age":3'), finish({ reason: 'length' })],
      JSON_TEXT,
    ])
    expect(result.object).toEqual(ADA)
    expect(model.callCount).toBe(2)
  })

  test('is requested again if truncated answers are rejected', async () => {
    const { model } = await run(['{"age":36,"name":"Ada', JSON_TEXT], { truncated: 'reject' })
    expect(model.callCount).toBe(2)
  })

  test('is not repaired with repair: false', async () => {
    const { model, repairs } = await run([`\`\`\`json\n${JSON_TEXT}\n\`\`\``, JSON_TEXT], { repair: false })
    expect(model.callCount).toBe(2)
    expect(repairs).toEqual([])
  })
})

describe('an answer that does not match the schema', () => {
  test('is requested again, with the problem', async () => {
    const { result, model, chunks } = await run(['{"name":"Ada","age":"ancient"}', JSON_TEXT])
    expect(result.object).toEqual(ADA)
    expect(JSON.stringify(model.lastPrompt.at(-1))).toContain('age: Invalid input')
    expect(JSON.stringify(model.lastPrompt)).not.toContain('ancient')
    expect(textOf(chunks)).toBe(JSON_TEXT)
    expect(result.steps[0]?.discarded).toHaveLength(1)
  })

  test('ends the run if it stays invalid', async () => {
    const { result, model } = await run(() => 'no idea', { maxRetries: 1 })
    expect(result).toMatchObject({
      status: 'tripwire',
      rejection: { reason: 'The answer does not match the output schema: it is not JSON.' },
    })
    expect(model.callCount).toBe(2)
  })

  test('is replaced by the fallback', async () => {
    const { result, repairs } = await run(() => 'no idea', { maxRetries: 1, fallback: { name: '', age: 0 } })
    expect(result.object).toEqual({ name: '', age: 0 })
    expect(result.text).toBe('{"name":"","age":0}')
    expect(repairs).toEqual(['fallback'])
  })

  test('requests an answer again if two values match', async () => {
    const { result, model } = await run([`Maybe ${JSON_TEXT}, or {"name":"Eve","age":1}.`, JSON_TEXT])
    expect(result.object).toEqual(ADA)
    expect(JSON.stringify(model.lastPrompt.at(-1))).toContain('it contains different JSON values that match')
  })

  test('is read as a whole, not by a part that happens to match', async () => {
    const { result } = await run([`{"name":"Ada","age":"{\\"name\\":\\"Eve\\",\\"age\\":1}"}`, JSON_TEXT])
    expect(result.object).toEqual(ADA)
  })
})

describe('in the stream', () => {
  test('emits partial objects of a model that writes fences', async () => {
    const { chunks } = await run([text(`Sure!\n\`\`\`json\n${JSON_TEXT}\n\`\`\`\n`, { chunkSize: 1 })])
    const ages = chunks.filter(({ type }) => type === 'object-delta')
    expect(ages.length).toBeGreaterThan(2)
    expect(textOf(chunks)).toBe(JSON_TEXT)
    expect(chunks.some(({ type }) => type === 'response-replaced')).toBe(false)
  })

  test('gives the same result however the text is cut', () => {
    const texts = fc.constantFrom(
      `x\n\`\`\`json\n${JSON_TEXT}\n\`\`\``,
      `${JSON_TEXT} `,
      'no JSON at all',
      '{"a":"}{\\""}\nBye',
      '{"a" "b"} and {more}',
      '[1,2,[3]] ]',
      '\n\n  [ ] x',
    )
    const through = (pieces: readonly string[]): string => {
      const json = new JsonExtractor()
      return pieces.map((piece) => json.push(piece)).join('') + json.end()
    }
    fc.assert(
      fc.property(texts, fc.array(fc.nat(40), { maxLength: 6 }), (whole, cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
        const pieces = places.map((place, index) => whole.slice(places[index - 1] ?? 0, place))
        expect(through(pieces)).toBe(through([whole]))
      }),
    )
    expect(through(['no JSON', ' at all'])).toBe('no JSON at all')
    expect(through(['{"a" "b"} and {more}'])).toBe('{"a" "b"} and {more}')
  })

  test('does not change prose if no schema is requested', async () => {
    const answer = 'First.\n{"not": "json"} and more'
    const agent = new Agent({ model: new ScriptedModel([answer]), processors: [new StructuredOutput()] })
    expect((await agent.generate('Hello')).text).toBe(answer)
  })
})

describe('StructuredOutput', () => {
  test('uses its own schema, and states it in the prompt with inPrompt', async () => {
    const model = new ScriptedModel([`\`\`\`\n${JSON_TEXT}\n\`\`\``])
    const agent = new Agent({
      model,
      instructions: 'Be brief.',
      processors: [new StructuredOutput({ schema: output, name: 'person', inPrompt: true })],
    })
    expect((await agent.generate('Who?')).object).toEqual(ADA)
    expect(model.lastCall.responseFormat).toMatchObject({ type: 'json', name: 'person' })
    expect(JSON.stringify(model.lastPrompt[1])).toContain('additionalProperties')
  })

  test('waits for the final answer while the model calls tools', async () => {
    const model = new ScriptedModel([['Let me see.', toolCall('look')], JSON_TEXT])
    const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }
    const { object, steps } = await new Agent({
      model,
      tools,
      processors: [new StructuredOutput()],
    }).generate('Who?', {
      output,
    })
    expect(object).toEqual(ADA)
    expect(steps[0]?.text).toBe('Let me see.')
  })

  test('repairs the text after guards, not what the model wrote', async () => {
    const answer = "{name:'jo@example.com',age:36}"
    for (const order of [0, 1]) {
      const list = [new PIIDetector(), new StructuredOutput()]
      const processors = order === 0 ? list : list.reverse()
      const { object } = await new Agent({ model: new ScriptedModel([answer]), processors }).generate('?', {
        output,
      })
      expect(object).toMatchObject({ name: expect.stringContaining('***@***.***'), age: 36 })
      expect(JSON.stringify(object)).not.toContain('example.com')
    }
  })

  test('serves many concurrent runs, each with its own retries', async () => {
    const processor = new StructuredOutput({ maxRetries: 1 })
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const good = JSON.stringify({ name: `n${index}`, age: index })
        const model = new ScriptedModel(index % 2 === 0 ? ['nothing', good] : [`\`\`\`json\n${good}\n\`\`\``])
        return new Agent({ model, processors: [processor] }).generate('?', { output })
      }),
    )
    expect(results.map(({ object }) => object)).toEqual(
      Array.from({ length: 40 }, (_, index) => ({ name: `n${index}`, age: index })),
    )
  })

  test.each([{ maxRetries: -1 }, { maxRetries: 0.5 }, { truncated: 'x' }])('rejects %o', (options) => {
    expect(() => new StructuredOutput(options as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  })
})

describe('truncated JSON', () => {
  test.each([
    ['{"a":1,"b":2', '{"a":1}'],
    ['{"a":1,"b":', '{"a":1}'],
    ['{"a":1,"b', '{"a":1}'],
    ['{"a":1,"b"', '{"a":1}'],
    ['{"a":1,', '{"a":1}'],
    ['{', '{}'],
    ['{"a":tr', '{}'],
    ['{"a":"x', '{"a":"x"}'],
    ['{"a":"x\\', '{"a":"x"}'],
    ['{"a":"x\\\\', '{"a":"x\\\\"}'],
    ['{"a":"x\\u00e', '{"a":"x"}'],
    ['{"a":"x\\\\u00e', '{"a":"x\\\\u00e"}'],
    ['{"a":"x"', '{"a":"x"}'],
    ['{"a":{"b":1}', '{"a":{"b":1}}'],
    ['[1,2', '[1]'],
    ['["a","b', '["a","b"]'],
    ['[["[', '[["["]]'],
    ['[[1],[2', '[[1],[]]'],
    ['[[1]', '[[1]]'],
    ['{"a":[1,{"b":"c"}', '{"a":[1,{"b":"c"}]}'],
    ['[{"a":"}', '[{"a":"}"}]'],
  ])('%s loses what might continue', (given, expected) => {
    expect(completeJson(given)).toBe(expected)
  })

  test('is never read as more than its text, wherever it is truncated', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 3 }), fc.nat(), async (json, at) => {
        const whole: unknown = JSON.parse(json)
        fc.pre(typeof whole === 'object' && whole !== null)
        const readings: Reading[] = []
        for await (const reading of jsonReadings(json.slice(0, 1 + (at % json.length))))
          readings.push(reading)
        const first = readings[0]
        if (first) expect(isPartOf(first.value, whole), JSON.stringify(first)).toBe(true)
      }),
    )
  })
})

/**
 * Whether a value contains nothing that the whole does not: strings may be shorter, lists and objects may have fewer
 * items.
 */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part)
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((item, index) => isPartOf(item, whole[index]))
  if (typeof part === 'object' && part !== null) {
    if (typeof whole !== 'object' || whole === null) return false
    return Object.entries(part).every(([key, value]) =>
      isPartOf(value, (whole as Record<string, unknown>)[key]),
    )
  }
  return Object.is(part, whole)
}

test('reads nothing from brackets that are opened again and again', async () => {
  for (const bracket of ['[', '{"a":', '[{"a":']) {
    const readings: Reading[] = []
    for await (const reading of jsonReadings(bracket.repeat(50_000))) readings.push(reading)
    expect(readings).toEqual([])
  }
  expect(completeJson('['.repeat(1_000))).toBe('['.repeat(1_000) + ']'.repeat(1_000))
})
