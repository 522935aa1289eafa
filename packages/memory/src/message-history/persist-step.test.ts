import { Agent, type Message, type Processor, tool, whileModelRuns } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { lines, saidByUser } from '../../test/texts.ts'
import { type WatchedStore, watchStore } from '../../test/watched-store.ts'
import { Memory } from '../memory.ts'
import { TURN_MARK } from './turn-mark.ts'

expect.extend(matchers)

const place = { threadId: 'thread-1', resourceId: 'user-1' }
const SCRIPT = [['Let me look. ', toolCall('weather', {})], [toolCall('weather', {})], 'It rains.']
let store: WatchedStore
let memory: Memory

beforeEach(() => {
  store = watchStore()
  memory = new Memory({ storage: store.storage, persist: 'step' })
})

describe("with persist: 'step'", () => {
  test("the user's message is stored before the model is called, and each step before the next", async () => {
    const seen: string[][] = []
    const model = new ScriptedModel(async (_, index) => {
      const stored = await memory.getMessages(place)
      seen.push(stored.map((message) => `${message.role} ${markOf(message)} ${message.content.parts.length}`))
      return SCRIPT[index] as string
    })
    await agentWith(model).generate('Umbrella?', place)
    expect(seen).toEqual([
      ['user open 1'],
      ['user open 1', 'assistant open 3'],
      ['user open 1', 'assistant open 5'],
    ])
    const stored = await memory.getMessages(place)
    expect(stored.map(markOf)).toEqual([undefined, undefined])
    expect(stored).toPairEveryToolCall()
    expect(store.calls.filter((call) => call === 'saveMessages')).toHaveLength(4)
  })

  test('a run that fails keeps what was said, and the next turn continues from there', async () => {
    await expect(
      agentWith(new ScriptedModel(SCRIPT.slice(0, 1))).generate('Umbrella?', place),
    ).rejects.toThrow()
    expect((await memory.getMessages(place)).map(markOf)).toEqual(['failed', 'failed'])
    const model = new ScriptedModel(['Yes'])
    expect(await agentWith(model).generate('Are you there?', place)).toBeCompleted()
    expect(model.lastPrompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(model.lastPrompt).toPairEveryToolCall()
  })

  test('a regenerated turn changes the thread only at its end', async () => {
    const input = [saidByUser('Umbrella?', 'm1')]
    await agentWith(new ScriptedModel(['Yes'])).generate(input, place)
    const seen: string[][] = []
    const model = new ScriptedModel(async (_, index) => {
      seen.push(lines(await memory.getMessages(place)))
      return SCRIPT[index] as string
    })
    await agentWith(model).generate(input, place)
    expect(seen).toEqual(Array.from({ length: 3 }, () => ['user: Umbrella?', 'assistant: Yes']))
    expect(await memory.getMessages(place)).toPairEveryToolCall()
    const guard: Processor = { id: 'guard', processOutputStep: ({ abort }) => abort('No.') }
    const before = await memory.getMessages(place)
    expect(await agentWith(new ScriptedModel(['Bad']), [guard]).generate(input, place)).toHaveTripped()
    expect(await memory.getMessages(place)).toEqual(before)
  })

  test('a stopped run can be regenerated', async () => {
    const controller = new AbortController()
    const stop = tool({ inputSchema: z.object({}), execute: () => controller.abort() })
    const model = new ScriptedModel([[toolCall('weather', {})], [toolCall('stop', {})], 'The answer'])
    const agent = new Agent({ model, memory, tools: { weather, stop } })
    const input = [saidByUser('Umbrella?', 'm1')]
    expect(await agent.generate(input, { ...place, abortSignal: controller.signal })).toHaveStatus('aborted')
    expect(await memory.getMessages(place)).toHaveLength(2)
    await agent.generate(input, place)
    expect(model.lastPrompt).toHaveLength(1)
    expect(lines(await memory.getMessages(place))).toEqual(['user: Umbrella?', 'assistant: The answer'])
  })

  test.each([
    ['is removed if its first answer is blocked', 0, []],
    ['keeps its calls if a later answer is blocked', 2, ['user: Something bad', 'assistant: ']],
  ])('a turn %s', async (_, stepNumber, kept) => {
    const guard: Processor = {
      id: 'guard',
      processOutputStep: (args) => (args.stepNumber === stepNumber ? args.abort('No.') : undefined),
    }
    const agent = agentWith(new ScriptedModel(SCRIPT), [guard])
    expect(await agent.generate('Something bad', place)).toHaveTripped({ processorId: 'guard' })
    await agent.close()
    expect(lines(await memory.getMessages(place))).toEqual(kept)
    const model = new ScriptedModel(['Hello'])
    await agentWith(model).generate('Something good', place)
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(lines(await memory.rememberMessages(place))).toEqual([
      ...kept,
      'user: Something good',
      'assistant: Hello',
    ])
  })

  test('a turn that is blocked before the model is called is not stored', async () => {
    const guard: Processor = { id: 'guard', processInputStep: ({ abort }) => abort('No.') }
    expect(await agentWith(new ScriptedModel([]), [guard]).generate('Bad', place)).toHaveTripped()
    expect(await memory.getMessages(place)).toEqual([])
  })

  test('a turn is removed if its input is blocked while the model runs', async () => {
    const guard: Processor = { id: 'guard', processInput: ({ abort }) => abort('No.') }
    const agent = agentWith(new ScriptedModel(SCRIPT), [whileModelRuns(guard)])
    expect(await agent.generate('Something bad', place)).toHaveTripped({ processorId: 'guard' })
    await agent.close()
    expect(await memory.getMessages(place)).toEqual([])
  })

  test('a turn that fails, because its answer does not fit the schema, stays open', async () => {
    const agent = agentWith(new ScriptedModel(['No JSON']))
    await expect(
      agent.generate('How warm?', { ...place, output: z.object({ warm: z.number() }) }),
    ).rejects.toThrow()
    const stored = await memory.getMessages(place)
    expect(lines(stored)).toEqual(['user: How warm?'])
    expect(stored.map(markOf)).toEqual(['open'])
  })

  test('what a processor removes from the answer is removed from the store', async () => {
    const removing: Processor = {
      id: 'removing',
      processOutputResult: ({ messages, messageList }) => {
        messageList.remove(messages.map(({ id }) => id))
      },
    }
    const result = await agentWith(new ScriptedModel(SCRIPT), [removing]).generate('Umbrella?', place)
    expect(result).toBeCompleted()
    expect(lines(await memory.getMessages(place))).toEqual(['user: Umbrella?'])
  })

  test('a complete turn is kept if a later processor stops the run', async () => {
    const late: Processor = { id: 'late', processOutputResult: ({ abort }) => abort('No.') }
    const model = new ScriptedModel(['It rains.'])
    const agent = new Agent({ model, outputProcessors: [memory, late] })
    expect(await agent.generate('Umbrella?', place)).toHaveTripped()
    await agent.close()
    const stored = await memory.getMessages(place)
    expect(lines(stored)).toEqual(['user: Umbrella?', 'assistant: It rains.'])
    expect(stored.map(markOf)).toEqual([undefined, undefined])
  })

  test('input messages cannot carry a turn mark', async () => {
    const forged = { ...saidByUser('Hello'), content: { ...saidByUser('Hello').content } }
    forged.content.metadata = { [TURN_MARK]: 'blocked' }
    const userMessageMetadata = { [TURN_MARK]: 'blocked', mood: 'good' }
    await agentWith(new ScriptedModel(['Hi'])).generate([forged], { ...place, userMessageMetadata })
    expect((await memory.getMessages(place))[0]?.content.metadata).toEqual({
      client: { [TURN_MARK]: 'blocked' },
      mood: 'good',
    })
  })

  test('a run that is resumed and then blocked keeps only its call', async () => {
    const ask = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'done' })
    const model = new ScriptedModel([[toolCall('ask', {})], 'Bad'])
    const guard: Processor = {
      id: 'guard',
      processOutputStep: (args) => (args.text === 'Bad' ? args.abort('No.') : undefined),
    }
    const agent = new Agent({ model, memory, processors: [guard], tools: { ask } })
    const result = await agent.generate('Do it', place)
    expect(result).toHaveStatus('suspended')
    const resumed = await agent.resume(result.suspension?.runId ?? '', { approved: true }, place)
    expect(resumed).toHaveTripped()
    await agent.close()
    const stored = await memory.getMessages(place)
    expect(lines(stored)).toEqual(['user: Do it', 'assistant: '])
    expect(stored).toPairEveryToolCall()
  })

  test('a failing store stops no answer and is reported, and the run that called tools waits', async () => {
    store.fail = (method) => (method === 'saveMessages' ? new Error('Full') : undefined)
    const result = await agentWith(new ScriptedModel(SCRIPT)).generate('Umbrella?', place)
    expect(result).toHaveText('It rains.')
    expect(result).toHaveStatus('suspended')
    expect(result.warnings.map((warning) => 'hook' in warning && warning.hook)).toEqual([
      'wrapModelCall',
      'wrapModelCall',
      'wrapModelCall',
      'processOutputResult',
    ])
  })
})

describe.each(['turn', 'step'] as const)("a process that crashes, with persist: '%s'", (persist) => {
  test('between any two operations of the store leaves a thread that can continue', async () => {
    for (let survived = 0; ; survived++) {
      const storage = new InMemoryStore()
      const before = new Memory({ storage, persist })
      await new Agent({ model: new ScriptedModel(['Hi']), memory: before }).generate('Hello', place)
      const died = await dieAfter(survived, storage, persist)

      const model = new ScriptedModel(['Yes, I am'])
      const after = new Memory({ storage, persist })
      const result = await new Agent({ model, memory: after }).generate('Are you there?', place)
      expect(result).toHaveText('Yes, I am')
      expect(result.warnings).toEqual([])
      expect(model.lastPrompt).toPairEveryToolCall()
      const stored = lines(await after.getMessages(place))
      expect(stored.slice(0, 2)).toEqual(['user: Hello', 'assistant: Hi'])
      expect(stored.slice(-2)).toEqual(['user: Are you there?', 'assistant: Yes, I am'])
      // The user's message is there from the first save on. Before it, the history is read, and whether the turn is repeated.
      expect(stored.includes('user: Umbrella?')).toBe(survived >= (persist === 'step' ? 3 : 2))
      if (!died) break
    }
  })
})

/** Runs a turn in a process that ends when it asks the store once more than it may. Returns whether that happened. */
async function dieAfter(
  operations: number,
  storage: InMemoryStore,
  persist: 'turn' | 'step',
): Promise<boolean> {
  const death = new AbortController()
  const dying = watchStore(storage)
  dying.wait = () => {
    if (dying.calls.length <= operations) return Promise.resolve()
    death.abort()
    return new Promise(() => {})
  }
  const agent = new Agent({
    model: new ScriptedModel(SCRIPT),
    memory: new Memory({ storage: dying.storage, persist }),
    tools: { weather },
  })
  const { status } = await agent.generate('Umbrella?', { ...place, abortSignal: death.signal })
  return status === 'aborted'
}

const weather = tool({ inputSchema: z.object({}), execute: () => 'Rain' })

function agentWith(model: ScriptedModel, processors: Processor[] = []): Agent {
  return new Agent({ model, memory, processors, tools: { weather } })
}

function markOf({ content }: Message): unknown {
  return content.metadata?.[TURN_MARK]
}
