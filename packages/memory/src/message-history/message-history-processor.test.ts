import {
  Agent,
  type Message,
  MillraceError,
  type Processor,
  ProcessorPipeline,
  RequestContext,
  tool,
} from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { answeredCall, lines, openCall, saidByAssistant, saidByUser } from '../../test/texts.ts'
import { type WatchedStore, watchStore } from '../../test/watched-store.ts'
import { MessageHistoryProcessor, type MessageHistoryProcessorOptions } from './message-history-processor.ts'
import { MessagePersistenceProcessor } from './message-persistence-processor.ts'

expect.extend(matchers)

const place = { threadId: 'thread-1', resourceId: 'user-1' }
const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: () => 'Rain' })
let store: WatchedStore

beforeEach(() => {
  store = watchStore()
})

describe('MessageHistoryProcessor', () => {
  test('fetches last N messages from storage', async () => {
    await seed([saidByUser('one'), saidByAssistant('two'), saidByUser('three'), saidByAssistant('four')])
    const { messages } = await pipeline({ lastMessages: 3 }).processInput('five')
    expect(lines(messages)).toEqual(['assistant: two', 'user: three', 'assistant: four', 'user: five'])
    expect(store.calls).toEqual(['listMessages'])
  })

  test('merges historical messages with new messages', async () => {
    await seed([saidByUser('Hello'), saidByAssistant('Hi')])
    const run = pipeline()
    const { messages } = await run.processInput([saidByUser('new one'), saidByUser('new two')])
    expect(lines(messages)).toEqual(['user: Hello', 'assistant: Hi', 'user: new one', 'user: new two'])
    expect(messages.map(({ id }) => run.messageList.originOf(id))).toEqual([
      'remembered',
      'remembered',
      'input',
      'input',
    ])
  })

  test('avoids duplicate message IDs', async () => {
    const stored = [saidByUser('Hello', 'm1'), saidByAssistant('Hi', 'm2'), saidByUser('stored', 'm3')]
    await seed(stored)
    const again = [saidByAssistant('Hi, as given', 'm2'), saidByUser('as given', 'm3')]
    const { messages } = await pipeline().processInput(again)
    expect(lines(messages)).toEqual(['user: Hello', 'assistant: Hi, as given', 'user: as given'])
  })

  test('handles empty storage', async () => {
    const { messages } = await pipeline().processInput('Hello')
    expect(lines(messages)).toEqual(['user: Hello'])
  })

  test('respects includeSystemMessages flag', async () => {
    const note: Message = { ...saidByUser('The user is in Oslo.'), role: 'system' }
    await seed([note, saidByUser('Hello'), saidByAssistant('Hi')])
    const without = await pipeline({ includeSystemMessages: false }).processInput('Now?')
    expect(without.systemMessages).toEqual([])
    expect(lines(without.messages)).toEqual(['user: Hello', 'assistant: Hi', 'user: Now?'])
    const systemMessages = [{ role: 'system', content: 'Be brief.' }] as const
    const including = await pipeline({ includeSystemMessages: true }).processInput('Now?', { systemMessages })
    expect(including.systemMessages.map(({ content }) => content)).toEqual([
      'Be brief.',
      'The user is in Oslo.',
    ])
    expect(lines(including.messages)).toEqual(lines(without.messages))
  })

  test('handles storage errors gracefully', async () => {
    await seed([saidByUser('Hello'), saidByAssistant('Hi')])
    const error = new MillraceError('STORAGE_UNAVAILABLE', 'The database cannot be reached.')
    store.fail = () => error
    const model = new ScriptedModel(['Answered'])
    const events: string[] = []
    const agent = agentWith(model, {})
    agent.on('processor', ({ processorId, hook, action }) => events.push(`${processorId} ${hook} ${action}`))
    const result = await agent.generate('Now?', place)
    expect(result).toHaveText('Answered')
    expect(model.lastPrompt).toHaveLength(1)
    expect(result.warnings).toEqual([
      { type: 'processor-skipped', processorId: 'message-history', hook: 'processInput', error },
      { type: 'processor-skipped', processorId: 'message-history', hook: 'processOutputResult', error },
    ])
    await agent.close()
    expect(events).toEqual([
      'message-history processInput failed',
      'message-history processOutputResult failed',
    ])
    const strict = agentWith(new ScriptedModel(['Answered']), { onError: 'fail' })
    await expect(strict.generate('Now?', place)).rejects.toMatchObject({ cause: error })
  })

  // Input: a run without a thread has no history.
  test('returns original messages when no threadId', async () => {
    await seed([saidByUser('Hello')])
    const { messages } = await pipeline({}, {}).processInput('Now?')
    expect(lines(messages)).toEqual(['user: Now?'])
    expect(store.calls).toEqual([])
    const named = await pipeline(place, {}).processInput('Now?')
    expect(lines(named.messages)).toEqual(['user: Hello', 'user: Now?'])
  })

  test('handles assistant messages with tool calls', async () => {
    const dangling = saidByAssistant('Let me look.', 'a1')
    dangling.content.parts.push(openCall('call-9'))
    await seed([saidByUser('Rain?'), dangling])
    const model = new ScriptedModel(['No idea'])
    await agentWith(model, {}).generate('And now?', place)
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(JSON.stringify(model.lastPrompt)).toContain('The call was not completed')
    expect((await stored())[1]?.content.parts.at(-1)).toMatchObject({ state: 'input-available' })
  })

  test('handles tool result messages', async () => {
    const answered = saidByAssistant('Let me look.', 'a1')
    answered.content.parts.push(answeredCall('call-9', 'Rain'))
    await seed([saidByUser('Rain?'), answered])
    const model = new ScriptedModel(['Yes'])
    // The window begins with the message of the call: its result is in it.
    await agentWith(model, { lastMessages: 1 }).generate('Sure?', place)
    expect(model.lastPrompt.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user'])
    expect(model.lastPrompt).toPairEveryToolCall()
  })

  test('saves user, assistant, tool-call, and tool-result messages', async () => {
    const model = new ScriptedModel([['Let me look.', toolCall('weather', { city: 'Oslo' })], 'It rains.'])
    await agentWith(model, {}, { tools: { weather } }).generate('Umbrella?', place)
    const [question, answer, ...rest] = await stored()
    expect(rest).toEqual([])
    expect(question).toMatchObject({ role: 'user', ...place })
    expect(answer?.content.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'text',
      'tool-weather',
      'step-start',
      'text',
    ])
    expect(answer?.content.parts[2]).toMatchObject({
      state: 'output-available',
      input: { city: 'Oslo' },
      output: 'Rain',
    })
    expect(store.calls.filter((call) => call !== 'listMessages')).toEqual(['saveMessages'])
  })

  test('filters out ONLY system messages', async () => {
    const agent = agentWith(new ScriptedModel(['Hi']), {}, { instructions: 'Be brief.' })
    await agent.generate(
      [
        { role: 'system', content: 'The user is in Oslo.' },
        { role: 'user', content: 'Hello' },
      ],
      place,
    )
    expect(lines(await stored())).toEqual(['user: Hello', 'assistant: Hi'])
  })

  test('updates thread metadata', async () => {
    await store.storage.saveThread({ ...place, title: 'Greetings', metadata: { pinned: true } })
    const before = await store.storage.getThread(place)
    await agentWith(new ScriptedModel(['Hi']), {}).generate('Hello', place)
    const after = await store.storage.getThread(place)
    expect(after).toMatchObject({ title: 'Greetings', metadata: { pinned: true }, messageCount: 2 })
    expect(Number(after?.updatedAt)).toBeGreaterThanOrEqual(Number(before?.updatedAt))
  })

  test('handles save failures gracefully', async () => {
    const error = new MillraceError('STORAGE_FULL', 'The disk is full.')
    store.fail = (method) => (method === 'saveMessages' ? error : undefined)
    const result = await agentWith(new ScriptedModel(['Hi']), {}).generate('Hello', place)
    expect(result).toHaveText('Hi')
    expect(result.warnings).toMatchObject([{ hook: 'processOutputResult', error }])
    expect(await stored()).toEqual([])
  })

  test('handles thread update failures gracefully', async () => {
    const error = new MillraceError('STORAGE_BUSY', 'The database is locked.')
    store.fail = (method) => (method === 'saveThread' ? error : undefined)
    const failures: unknown[] = []
    const agent = agentWith(new ScriptedModel(['Hi']), {
      generateTitle: { model: new ScriptedModel(['Greetings']) },
    })
    agent.on('background-error', (event) => failures.push(event.processorId))
    const result = await agent.generate('Hello', place)
    await agent.close()
    expect(result).toHaveText('Hi')
    expect(lines(await stored())).toEqual(['user: Hello', 'assistant: Hi'])
    expect(failures).toEqual(['message-history'])
  })

  // Output: a run without a thread is saved nowhere.
  test('returns original messages when no threadId', async () => {
    const result = await agentWith(new ScriptedModel(['Hi']), {}).generate('Hello')
    expect(lines(result.messages)).toEqual(['assistant: Hi'])
    expect(store.calls).toEqual([])
  })

  test('handles messages with only system messages', async () => {
    const run = pipeline()
    run.messageList.add({ ...saidByUser('Be brief.'), role: 'system' }, 'response')
    await run.processOutputResult('')
    expect(store.calls).toEqual([])
  })

  test('generates message IDs if not provided', async () => {
    const agent = agentWith(new ScriptedModel(['Hi']), {})
    await agent.generate([{ role: 'user', content: 'Hello' }], place)
    const ids = (await stored()).map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/.{8}/)
  })

  test('preserves existing message IDs', async () => {
    const agent = agentWith(new ScriptedModel(['Hi']), {})
    const result = await agent.generate([saidByUser('Hello', 'from-client')], place)
    expect((await stored()).map(({ id }) => id)).toEqual(['from-client', result.messages[0]?.id])
  })
})

describe('a window of tokens', () => {
  const countTokens = (text: string): number => text.split(/\s+/).length

  test('holds the last whole messages that fit', async () => {
    await seed(['one two three', 'four five', 'six', 'seven eight'].map((text) => saidByUser(text)))
    const { messages } = await pipeline({ maxTokens: 5, countTokens }).processInput('now')
    expect(lines(messages)).toEqual(['user: four five', 'user: six', 'user: seven eight', 'user: now'])
    const none = await pipeline({ maxTokens: 1, countTokens }).processInput('now')
    expect(lines(none.messages)).toEqual(['user: now'])
  })

  test('counts calls and results, and reads no further than it must', async () => {
    const answered = saidByAssistant('Look.')
    answered.content.parts.push(answeredCall('call-1', 'word '.repeat(500)))
    await seed([...Array.from({ length: 500 }, (_, index) => saidByUser(`old ${index}`)), answered])
    const { messages } = await pipeline({ maxTokens: 400, countTokens }).processInput('now')
    expect(messages).toHaveLength(1)
    expect(store.calls).toEqual(['listMessages'])
    store.calls.length = 0
    const all = await pipeline({ maxTokens: 10_000, countTokens }).processInput('now')
    expect(all.messages).toHaveLength(502)
    expect(store.calls).toEqual(['listMessages', 'listMessages', 'listMessages'])
  })

  test('is limited by lastMessages too', async () => {
    await seed([saidByUser('one'), saidByUser('two'), saidByUser('three')])
    const { messages } = await pipeline({ maxTokens: 100, lastMessages: 2, countTokens }).processInput('now')
    expect(lines(messages)).toEqual(['user: two', 'user: three', 'user: now'])
  })

  test('may be empty, which asks the store for nothing', async () => {
    await seed([saidByUser('one')])
    const { messages } = await pipeline({ lastMessages: false }).processInput('now')
    expect(lines(messages)).toEqual(['user: now'])
    expect(store.calls).toEqual([])
  })

  test.each<Partial<MessageHistoryProcessorOptions>>([
    { lastMessages: -1 },
    { lastMessages: 1.5 },
    { maxTokens: Number.NaN, countTokens },
    { maxTokens: 10 },
    { persist: 'always' as never },
  ])('refuses %j', (options) => {
    expect(() => new MessageHistoryProcessor({ storage: store.storage, ...options })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  })
})

describe('a turn', () => {
  test('costs one query and one transaction', async () => {
    await agentWith(new ScriptedModel(['Hi']), {}).generate('Hello', place)
    expect(store.calls).toEqual(['listMessages', 'saveMessages'])
  })

  test('that is done again takes the place of what followed its message', async () => {
    const model = new ScriptedModel(['one', 'two', 'three', 'four'])
    const agent = agentWith(model, {})
    await agent.generate([saidByUser('Hello', 'm1')], place)
    await agent.generate([saidByUser('More', 'm2')], place)
    await agent.generate([saidByUser('More', 'm2')], place)
    expect(lines(await stored())).toEqual(['user: Hello', 'assistant: one', 'user: More', 'assistant: three'])
    expect(model.lastPrompt).toHaveLength(3)
    await agent.generate([saidByUser('Hello, edited', 'm1')], place)
    expect(lines(await stored())).toEqual(['user: Hello, edited', 'assistant: four'])
    expect(model.lastPrompt).toHaveLength(1)
  })

  test('that is done again after many others is shown only what was before it', async () => {
    await seed(Array.from({ length: 60 }, (_, index) => saidByUser(`${index}`, `m${index}`)))
    const { messages } = await pipeline({ lastMessages: 2 }).processInput([saidByUser('again', 'm10')])
    expect(lines(messages)).toEqual(['user: 8', 'user: 9', 'user: again'])
    expect(store.calls).toEqual(['listMessages'])
  })

  test('that was stopped and is done again is saved once', async () => {
    const controller = new AbortController()
    const model = new ScriptedModel([['Partial answer'], 'Whole answer'])
    const agent = agentWith(model, {})
    const stopped = agent.stream([saidByUser('Hello', 'm1')], { ...place, abortSignal: controller.signal })
    for await (const chunk of stopped.fullStream) if (chunk.type === 'text-delta') controller.abort()
    expect((await stopped.result).status).toBe('aborted')
    expect(await stored()).toEqual([])
    await agent.generate([saidByUser('Hello', 'm1')], place)
    expect(lines(await stored())).toEqual(['user: Hello', 'assistant: Whole answer'])
  })

  test.each([
    ['before it', (guard: object, memory: MessageHistoryProcessor) => [guard, memory]],
    [
      'after it, while the model answers',
      (guard: object, memory: MessageHistoryProcessor) => [memory, guard],
    ],
  ])('that a processor blocks %s leaves nothing', async (_, order) => {
    const guard = {
      id: 'guard',
      processOutputStep: ({ abort }: { abort: (reason: string) => never }) => abort('No.'),
    }
    const memory = new MessageHistoryProcessor({ storage: store.storage })
    const agent = new Agent({ model: new ScriptedModel(['Bad']), processors: order(guard, memory) as never })
    expect(await agent.generate('Hello', place)).toHaveTripped({ processorId: 'guard' })
    expect(store.calls).not.toContain('saveMessages')
  })

  test('of which a later processor wants another answer is saved with that one alone', async () => {
    const critic: Processor = {
      id: 'critic',
      processOutputResult: ({ result, abort }) =>
        result.text === 'Bad' ? abort('Better, please.', { retry: true }) : undefined,
    }
    for (const persist of ['turn', 'step'] as const) {
      const memory = new MessageHistoryProcessor({ storage: store.storage, persist })
      const agent = new Agent({ model: new ScriptedModel(['Bad', 'Good']), processors: [memory, critic] })
      expect(await agent.generate('Hello', place)).toHaveText('Good')
      expect(lines(await stored())).toEqual(['user: Hello', 'assistant: Good'])
      await store.storage.deleteThread(place)
    }
  })

  test('of a call without a proper id is an error, and not trouble of the store', async () => {
    const agent = agentWith(new ScriptedModel([]), {})
    await expect(agent.generate('Hello', { threadId: '' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(agent.generate('Hello', { ...place, resourceId: 'x'.repeat(600) })).rejects.toThrow(
      /resourceId/,
    )
  })

  test('that fails leaves nothing', async () => {
    const agent = agentWith(new ScriptedModel([]), {})
    await expect(agent.generate('Hello', place)).rejects.toThrow()
    expect(await stored()).toEqual([])
  })

  test('that a processor ends with an answer of its own is saved with it', async () => {
    const guard = {
      id: 'guard',
      processInputStep: ({ halt }: { halt: (text: string) => never }) => halt('Closed.'),
    }
    const memory = new MessageHistoryProcessor({ storage: store.storage })
    const agent = new Agent({ model: new ScriptedModel([]), processors: [guard, memory] })
    expect(await agent.generate('Hello', place)).toHaveStatus('halted')
    expect(lines(await stored())).toEqual(['user: Hello', 'assistant: Closed.'])
  })

  test('saves nothing that was remembered, or is context', async () => {
    await seed([saidByUser('old'), saidByAssistant('older answer')])
    const context = {
      id: 'context',
      processInput: ({ messageList }: { messageList: ProcessorPipeline['messageList'] }) => {
        messageList.add(saidByUser('A fact'), 'context')
        for (const message of messageList.get('remembered')) message.content.parts = []
      },
    }
    const memory = new MessageHistoryProcessor({ storage: store.storage })
    const agent = new Agent({ model: new ScriptedModel(['Hi']), processors: [memory, context] })
    await agent.generate('Hello', place)
    expect(lines(await stored())).toEqual([
      'user: old',
      'assistant: older answer',
      'user: Hello',
      'assistant: Hi',
    ])
  })

  test('is saved when it goes on after a suspension, in any other process', async () => {
    const ask = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'done' })
    const options = { tools: { ask }, storage: store.storage }
    const first = agentWith(new ScriptedModel([[toolCall('ask', {})]]), {}, options)
    const result = await first.generate('Do it', place)
    expect(result).toHaveStatus('suspended')
    expect(await stored()).toEqual([])
    const second = agentWith(new ScriptedModel(['Did it']), {}, options)
    await second.resume(result.suspension?.runId ?? '', { approved: true })
    expect(lines(await stored())).toEqual(['user: Do it', 'assistant: Did it'])
    expect(await stored()).toPairEveryToolCall()
  })
})

test('gives a thread its title once, and in the background', async () => {
  const titles = new ScriptedModel(['## "Rain in Oslo."\nmore'])
  const agent = agentWith(new ScriptedModel(['Yes', 'No']), { generateTitle: { model: titles } })
  await agent.generate('Does it rain?', place)
  await agent.close()
  expect(await store.storage.getThread(place)).toMatchObject({ title: 'Rain in Oslo' })
  await agent.generate('And now?', place)
  await agent.close()
  expect(titles.callCount).toBe(1)
})

test.each([
  [
    'two histories',
    (storage: WatchedStore['storage']) => {
      const one = new MessageHistoryProcessor({ storage })
      return { processors: [one, new MessageHistoryProcessor({ storage, id: 'other' })] }
    },
  ],
  [
    'a history and a persistence among the output processors',
    (storage: WatchedStore['storage']) => ({
      outputProcessors: [
        new MessageHistoryProcessor({ storage }),
        new MessagePersistenceProcessor({ storage }),
      ],
    }),
  ],
])('%s are refused', (_, lists) => {
  const model = new ScriptedModel([])
  expect(() => new Agent({ model, ...lists(store.storage) })).toThrow(/message-history/)
})

test('history and persistence stand in a list each', async () => {
  const { storage } = store
  const agent = new Agent({
    model: new ScriptedModel(['Hi', 'Again']),
    inputProcessors: [new MessageHistoryProcessor({ storage })],
    outputProcessors: [new MessagePersistenceProcessor({ storage })],
  })
  await agent.generate('Hello', place)
  await agent.generate('Hello again', place)
  expect(lines(await stored())).toHaveLength(4)
  expect(store.calls).toEqual([
    'listMessages',
    'saveMessages',
    'listMessages',
    'saveMessages',
    'listMessages',
  ])
})

async function seed(messages: Message[]): Promise<void> {
  await store.storage.saveMessages({ ...place, messages })
  store.calls.length = 0
}

async function stored(): Promise<Message[]> {
  const { items } = await store.storage.listMessages(place)
  return items.map(({ message }) => message)
}

function pipeline(
  options: Partial<MessageHistoryProcessorOptions> = {},
  ids: { threadId?: string; resourceId?: string } = place,
): ProcessorPipeline {
  const processor = new MessageHistoryProcessor({ storage: store.storage, ...options })
  return new ProcessorPipeline([processor], { requestContext: new RequestContext({}, ids) })
}

function agentWith(
  model: ScriptedModel,
  options: Partial<MessageHistoryProcessorOptions>,
  agent: Partial<ConstructorParameters<typeof Agent>[0]> = {},
): Agent {
  const processor = new MessageHistoryProcessor({ storage: store.storage, ...options })
  return new Agent({ model, processors: [processor], ...agent })
}
