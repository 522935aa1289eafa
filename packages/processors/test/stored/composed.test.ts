import { type AgentOptions, type Processor, parallel, when, whileModelRuns } from '@millrace/core'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { TURN_MARK } from '@millrace/memory'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, text } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PERSONAL } from './guards.ts'
import { storedMessages } from './messages.ts'
import { recordSpans, Scene } from './scene.ts'

expect.extend(matchers)

beforeAll(recordSpans)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(() => scene.remove())

const { said, needles } = PERSONAL

const other = (): Processor => new KeywordGuard({ keywords: ['northwind'] })
const block = (): Processor => new PIIDetector({ strategy: 'block' })

type Chain = Pick<AgentOptions, 'processors' | 'inputProcessors' | 'outputProcessors'>

const chains: [string, () => Chain, 'tripwire' | 'completed'][] = [
  ['whileModelRuns', () => ({ processors: [whileModelRuns(block())] }), 'tripwire'],
  ['parallel', () => ({ processors: [parallel(block(), other())] }), 'tripwire'],
  ['when', () => ({ processors: [when(() => true, block())] }), 'tripwire'],
  [
    'whileModelRuns in parallel',
    () => ({ processors: [whileModelRuns(parallel(block(), other()))] }),
    'tripwire',
  ],
  ['the input list', () => ({ inputProcessors: [block()] }), 'tripwire'],
  ['parallel, which redacts', () => ({ processors: [parallel(new PIIDetector(), other())] }), 'completed'],
  ['when, which redacts', () => ({ processors: [when(() => true, new PIIDetector())] }), 'completed'],
  ['the output list, which redacts', () => ({ outputProcessors: [new PIIDetector()] }), 'completed'],
]

describe.each(chains)('a guard in %s', (_, chain, status) => {
  test.each(['turn', 'step'] as const)(
    'keeps personal data of the user out of a memory that saves by %s',
    async (persist) => {
      for (const how of ['generate', 'stream'] as const) {
        const memory = scene.memory({ persist })
        const agent = scene.agent({ model: new ScriptedModel(['Fine.']), memory, ...chain() })
        const thread = { threadId: how, resourceId: 'ada' }
        const result = await (how === 'generate'
          ? agent.generate(said, thread)
          : agent.stream(said, thread).result)
        expect(result).toMatchObject({ status, warnings: [] })
        await agent.close()
        const stored = await storedMessages(memory, thread)
        expect(stored.map(({ role }) => role)).toEqual(status === 'tripwire' ? [] : ['user', 'assistant'])
        expect(stored).toLeakNothingOf(needles)
      }
      await scene.settled()
      // A guard of the output only has not seen what is saved after each step: it is gone once the log of the database
      // is.
      if (persist === 'step' && chain().outputProcessors) await scene.close()
      await scene.expectClean(needles)
    },
  )
})

test.each(['turn', 'step'] as const)(
  'one guard and one agent keep a hundred concurrent runs apart, with persist %s',
  async (persist) => {
    const memory = scene.memory({ persist })
    const agent = scene.agent({
      model: new ScriptedModel(({ prompt }) => {
        const number = /run (\d+)/.exec(JSON.stringify(prompt.at(-1)))?.[1]
        return [text(Number(number) % 2 ? `To ${number}: ${said}` : `To ${number}: fine.`, { chunkSize: 3 })]
      }),
      processors: [block(), memory],
    })
    const numbers = Array.from({ length: 100 }, (_, number) => number)
    const results = await Promise.all(
      numbers.map((number) =>
        agent.generate(`This is run ${number}`, { threadId: `${number}`, resourceId: 'ada' }),
      ),
    )
    await agent.close()
    for (const number of numbers) {
      const isOdd = number % 2 === 1
      expect(results[number]).toMatchObject({ status: isOdd ? 'tripwire' : 'completed' })
      const stored = await storedMessages(memory, { threadId: `${number}`, resourceId: 'ada' })
      const marks = stored.map(({ role, content }) => [role, content.metadata?.[TURN_MARK]])
      if (!isOdd)
        expect(marks).toEqual([
          ['user', undefined],
          ['assistant', undefined],
        ])
      else expect(marks).toEqual([])
    }
    await scene.expectClean(needles)
  },
)
