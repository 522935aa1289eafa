import { Agent } from '@millrace/core'
import { collect, reasoning, ScriptedModel, text, textOf } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LoopDetector, type LoopDetectorOptions } from './loop-detector.ts'
import { RepeatedText } from './repeated-text.ts'

expect.extend(matchers)

const circles = 'I should check the file again. Wait, let me think. '.repeat(200)

async function run(
  script: ConstructorParameters<typeof ScriptedModel>[0],
  options: LoopDetectorOptions = {},
) {
  const actions: string[] = []
  const detector = new LoopDetector({ onLoop: ({ action }) => actions.push(action), ...options })
  const model = new ScriptedModel(script, { repeat: 'last' })
  const stream = new Agent({ model, processors: [detector] }).stream('Go')
  const chunks = await collect(stream.fullStream)
  return { model, chunks, actions, result: await stream.result }
}

test('retries a response that repeats itself, with a warning', async () => {
  const { model, chunks, actions, result } = await run([text(circles), 'The file is fine.'])
  expect(result).toHaveText('The file is fine.')
  expect(textOf(chunks)).toBe('The file is fine.')
  expect(actions).toEqual(['warn'])
  expect(JSON.stringify(model.lastPrompt)).toContain('You have said the same')
  expect(model.streams[0]?.chunksPulled).toBeLessThan(600)
})

test.each([
  ['an answer', text(circles)],
  ['reasoning', reasoning(circles)],
])('halts the run if %s repeats itself again', async (_, part) => {
  const { actions, result } = await run([[part]])
  expect(actions).toEqual(['warn', 'halt'])
  expect(result).toHaveStatus('halted')
  expect(result.messages).toLeakNothingOf('check the file')
})

test('does not search with repeatedText: false', async () => {
  expect((await run([text(circles)], { repeatedText: false })).result).toHaveText(circles)
})

test.each([
  ['rules and empty cells', `${'-'.repeat(3_000)}${'| 0 | n/a |\n'.repeat(300)}`],
  ['zeros', '0, '.repeat(2_000)],
  ['rows that differ', Array.from({ length: 400 }, (_, row) => `Row ${row} of the table\n`).join('')],
  ['a refrain', 'All work and no play makes Jack a dull boy.\n'.repeat(18)],
  [
    'prose',
    Array.from({ length: 300 }, (_, n) => `The wheel turned ${'once '.repeat(n % 7)}on day ${n}. `).join(''),
  ],
])('passes %s', async (_, answer) => {
  const { actions, result } = await run([text(answer, { chunkSize: 50 })])
  expect(result).toHaveText(answer)
  expect(actions).toEqual([])
})

test('finds a repeated passage, however the text is cut and whatever comes before', () => {
  const words = fc.constantFrom('mill ', 'wheel, ', 'water\n', 'turn ', '12 ', 'Ärger ')
  const unit = fc.array(words, { minLength: 2, maxLength: 12 }).map((all) => `${all.join('')}stop. `)
  fc.assert(
    fc.property(unit, fc.string(), fc.integer({ min: 1, max: 300 }), (repeated, before, size) => {
      const whole = before + repeated.repeat(Math.ceil(6_000 / repeated.length))
      const watched = new RepeatedText()
      let found: number | undefined
      for (let place = 0; place < whole.length; place += size) {
        found ??= watched.push(whole.slice(place, place + size))
      }
      expect(found).toBeGreaterThanOrEqual(20)
    }),
  )
})
