import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ProcessorEntry } from '@millrace/core'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { hang, reasoning, ScriptedModel, text, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

/** One turn through another framework, with Millrace processors around it. */
export interface Turn {
  model: LanguageModelV4
  processors: readonly ProcessorEntry[]
  input: string
  stream: boolean
  /** Asks for an object with these keys, each a string. */
  object?: readonly string[]
  /** What the tool `lookUp` answers, where there is one. It takes `{ key: string }`. */
  lookUp?: (input: { key: string }) => unknown
  abortSignal?: AbortSignal
  timeout?: number
}

/** What came of a turn. */
export interface Outcome {
  /** All text that the reader got, joined. */
  text: string
  /** Everything that the reader got, in the framework's own form. */
  reader: unknown
  /** What the framework keeps: steps, messages, results. */
  kept: unknown
  /** What the turn failed with, however the framework says so. */
  error: unknown
}

export interface WayOut {
  run(turn: Turn): Promise<Outcome>
  /** Reasons why the framework cannot do what a case asks, by the case's name. */
  cannot?: Readonly<Record<string, string>>
}

const SECRET = 'KEY-12345678'
const PATTERN = /KEY-\d{8}/

function filter(strategy: 'block' | 'redact' | 'filter' | 'halt' | 'warn'): RegexFilter {
  return new RegexFilter({
    patterns: [PATTERN],
    strategy,
    ...(strategy === 'halt' && { response: 'I cannot say that.' }),
  })
}

/** The corpus for all ways out: what must hold wherever our processors run. */
export function testWayOut(name: string, way: WayOut): void {
  const each = test.each([{ stream: false }, { stream: true }])

  const run = async (turn: Omit<Turn, 'input'> & { input?: string }) => {
    const outcome = await way.run({ input: 'Hello.', ...turn })
    return { ...outcome, prompts: turn.model instanceof ScriptedModel ? turn.model.calls : [] }
  }

  const expectClean = (outcome: { prompts: unknown; reader: unknown; kept: unknown; text: string }) => {
    expect(outcome.text).not.toContain(SECRET)
    for (const seen of [outcome.prompts, outcome.reader, outcome.kept])
      expect(JSON.stringify(seen) ?? '').not.toContain(SECRET)
  }

  const unless = (reason: string): typeof test => (way.cannot?.[reason] ? (test.skip as typeof test) : test)

  describe(`${name}: a value is redacted`, () => {
    test('in a streamed answer, at every split', async () => {
      const answer = `The key is ${SECRET}, as asked.`
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(answer.length), { maxLength: 6 }), async (cuts) => {
          const edges = [0, ...[...cuts].sort((a, b) => a - b), answer.length]
          const chunks = edges
            .slice(1)
            .map((edge, index) => answer.slice(edges[index], edge))
            .filter(Boolean)
          const outcome = await run({
            model: new ScriptedModel([text(chunks)]),
            processors: [filter('redact')],
            stream: true,
          })
          expectClean(outcome)
          expect(outcome.text).toBe('The key is [REDACTED], as asked.')
        }),
        { numRuns: 30 },
      )
    })

    each('over two parts of text ($stream)', async ({ stream }) => {
      const outcome = await run({
        model: new ScriptedModel([[text('The key is KEY-1234'), text('5678, as asked.')]]),
        processors: [filter('redact')],
        stream,
      })
      expectClean(outcome)
      expect(outcome.text.replaceAll('\n', '')).toBe('The key is [REDACTED], as asked.')
    })

    each('in the input ($stream)', async ({ stream }) => {
      const model = new ScriptedModel(['Fine.'])
      const processors = [filter('redact')]
      const { prompts } = await run({ model, processors, stream, input: `My key is ${SECRET}.` })
      expect(JSON.stringify(prompts)).not.toContain(SECRET)
      expect(JSON.stringify(prompts)).toContain('My key is [REDACTED].')
    })

    unless('reasoning').each([{ stream: false }, { stream: true }])(
      'in reasoning ($stream)',
      async ({ stream }) => {
        const model = new ScriptedModel([[reasoning(['It is KEY-12', '345678.']), text('No.')]])
        const outcome = await run({ model, processors: [filter('redact')], stream })
        expectClean(outcome)
        expect(outcome.text).toBe('No.')
      },
    )

    unless('object').each([{ stream: false }, { stream: true }])(
      'in an object ($stream)',
      async ({ stream }) => {
        const model = new ScriptedModel([text([`{"key":"KEY-1234`, `5678","note":"x"}`])])
        const outcome = await run({ model, processors: [filter('redact')], stream, object: ['key', 'note'] })
        expectClean(outcome)
        expect(JSON.stringify(outcome.kept)).toContain('[REDACTED]')
      },
    )

    each('in the input of a tool ($stream)', async ({ stream }) => {
      const inputs: unknown[] = []
      const outcome = await run({
        model: new ScriptedModel([[toolCall('lookUp', { key: SECRET })], 'Done.']),
        processors: [filter('redact')],
        stream,
        lookUp: (input) => {
          inputs.push(input)
          return 'found'
        },
      })
      expect(inputs).toEqual([{ key: '[REDACTED]' }])
      expectClean(outcome)
      expect(outcome.text).toBe('Done.')
    })

    each('in the result of a tool, before the model sees it ($stream)', async ({ stream }) => {
      const outcome = await run({
        model: new ScriptedModel([[toolCall('lookUp', { key: 'a' })], 'Done.']),
        processors: [filter('redact')],
        stream,
        lookUp: () => ({ nested: [`It is ${SECRET}.`] }),
      })
      expectClean(outcome)
      expect(JSON.stringify(outcome.prompts)).toContain('It is [REDACTED].')
      expect(outcome.text).toBe('Done.')
    })
  })

  describe(`${name}: what is rejected`, () => {
    each('in the input never reaches the model ($stream)', async ({ stream }) => {
      const model = new ScriptedModel(['Fine.'])
      const { error } = await run({ model, processors: [filter('block')], stream, input: `A ${SECRET}.` })
      expect(model.callCount).toBe(0)
      expect(String(error)).toContain('A pattern was found in the input')
    })

    each('in the answer never reaches the reader ($stream)', async ({ stream }) => {
      const model = new ScriptedModel([text(['It is KEY-', '12345678', '.'])])
      const outcome = await run({ model, processors: [filter('block')], stream })
      expectClean(outcome)
      expect(outcome.text).not.toContain('12345678')
      expect(String(outcome.error)).toContain('A pattern was found in the answer')
    })

    each('in the result of a tool never reaches the model ($stream)', async ({ stream }) => {
      const model = new ScriptedModel([[toolCall('lookUp', { key: 'a' })], 'Done.'])
      const { prompts, error } = await run({
        model,
        processors: [filter('block')],
        stream,
        lookUp: () => `It is ${SECRET}.`,
      })
      expect(JSON.stringify(prompts)).not.toContain(SECRET)
      // The turn fails, or the model is told what is left of the result.
      expect(`${String(error)} ${JSON.stringify(prompts)}`).toMatch(/A pattern was found|\[REDACTED\]/)
    })

    each('by filter is left out ($stream)', async ({ stream }) => {
      const model = new ScriptedModel([text(['It is KEY-', '12345678', '.'])])
      const outcome = await run({ model, processors: [filter('filter')], stream })
      expectClean(outcome)
      expect(outcome.text).not.toContain('12345678')
    })

    each('by halt is answered in the place of the model ($stream)', async ({ stream }) => {
      const model = new ScriptedModel(['Fine.'])
      const outcome = await run({ model, processors: [filter('halt')], stream, input: `A ${SECRET}.` })
      expect(model.callCount).toBe(0)
      expect(outcome.text).toBe('I cannot say that.')
    })

    each('in a call of a tool does not run the tool ($stream)', async ({ stream }) => {
      let ran = false
      const model = new ScriptedModel([[toolCall('lookUp', { key: 'a' })], 'I may not.'])
      const outcome = await run({
        model,
        processors: [{ id: 'no-tools', processToolCall: () => ({ deny: 'Not today.' }) }],
        stream,
        lookUp: () => {
          ran = true
          return 'found'
        },
      })
      expect(ran).toBe(false)
      expect(JSON.stringify(outcome.prompts)).toContain('Not today.')
      expect(outcome.text).toContain('I may not.')
    })
  })

  describe(`${name}: a processor that fails`, () => {
    each('by throwing lets nothing through ($stream)', async ({ stream }) => {
      for (const hook of [
        'processInput',
        'processOutputStream',
        'processOutputStep',
        'processOutputResult',
      ] as const) {
        const broken = {
          id: 'broken',
          [hook]({ part }: { part?: { type: string } }) {
            if (part && part.type !== 'text-delta') return part
            throw new Error('broken')
          },
        } as ProcessorEntry
        const model = new ScriptedModel([text(SECRET)])
        const outcome = await run({ model, processors: [broken, filter('redact')], stream })
        expect(outcome.error, hook).toBeDefined()
        expectClean(outcome)
      }
    })

    each('by hanging ends with the timeout ($stream)', async ({ stream }) => {
      const hangs: ProcessorEntry = { id: 'hangs', processInput: () => new Promise(() => {}) }
      const model = new ScriptedModel([text(SECRET)])
      const outcome = await run({ model, processors: [hangs], stream, timeout: 20 })
      expect(model.callCount).toBe(0)
      expect(String(outcome.error)).toMatch(/took longer than 20 ms/)
    })

    unless('abort of input').each([{ stream: false }, { stream: true }])(
      'by hanging ends with the abort ($stream)',
      async ({ stream }) => {
        const controller = new AbortController()
        const hangs: ProcessorEntry = {
          id: 'hangs',
          processInput: () => {
            queueMicrotask(() => controller.abort(new Error('Enough.')))
            return new Promise(() => {})
          },
        }
        const model = new ScriptedModel([text(SECRET)])
        const outcome = await run({ model, processors: [hangs], stream, abortSignal: controller.signal })
        expect(model.callCount).toBe(0)
        expect(outcome.text).toBe('')
      },
    )

    each('by suspending is refused with a clear error ($stream)', async ({ stream }) => {
      const waits: ProcessorEntry = { id: 'waits', processInput: ({ suspend }) => suspend('Sure?') }
      const model = new ScriptedModel(['Fine.'])
      const { error } = await run({ model, processors: [waits], stream })
      expect(model.callCount).toBe(0)
      expect(String(error)).toContain("The processor 'waits' suspended in processInput")
    })
  })

  test(`${name}: an abort ends the model call`, async () => {
    const controller = new AbortController()
    const model = new ScriptedModel([[text('One. '), hang()]])
    const running = run({
      model,
      processors: [
        {
          id: 'stops',
          processOutputStream: ({ part }) => {
            if (part.type === 'text-delta') queueMicrotask(() => controller.abort(new Error('Enough.')))
            return part
          },
        },
      ],
      stream: true,
      abortSignal: controller.signal,
    })
    const outcome = await running
    expectClean(outcome)
    await expect.poll(() => model.lastStream.outcome).toMatch(/aborted|cancelled/)
  })

  test(`${name}: one list of processors serves many turns at once`, async () => {
    const processors = [filter('redact'), new KeywordGuard({ keywords: ['forbidden'], strategy: 'redact' })]
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        run({
          model: new ScriptedModel([text([`${index}: KEY-`, '12345678 for', 'bidden'])]),
          processors,
          stream: index % 2 === 0,
        }),
      ),
    )
    for (const [index, outcome] of outcomes.entries()) {
      expectClean(outcome)
      expect(outcome.text).toBe(`${index}: [REDACTED] [REDACTED]`)
    }
  })
}
