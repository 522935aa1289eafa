import { Agent, type Message, MillraceError, type Store, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { HistoryBench, place } from '../../test/history-bench.ts'
import { answeredCall, lines, openCall, saidByAssistant, saidByUser } from '../../test/texts.ts'
import { MessageHistoryProcessor } from './message-history-processor.ts'
import { MessagePersistenceProcessor } from './message-persistence-processor.ts'

expect.extend(matchers)

const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: () => 'Rain' })

let bench: HistoryBench

beforeEach(() => {
  bench = new HistoryBench()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('MessageHistoryProcessor', () => {
  test('fetches last N messages from storage', async () => {
    await bench.seed([
      saidByUser('one'),
      saidByAssistant('two'),
      saidByUser('three'),
      saidByAssistant('four'),
    ])
    const { messages } = await bench.pipeline({ lastMessages: 3 }).processInput('five')
    // An answer without its question is left out.
    expect(lines(messages)).toEqual(['user: three', 'assistant: four', 'user: five'])
    expect(bench.calls).toEqual(['listMessages'])
  })

  test('merges historical messages with new messages', async () => {
    await bench.seed([saidByUser('Hello'), saidByAssistant('Hi')])
    const run = bench.pipeline()
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
    await bench.seed(stored)
    const again = [saidByAssistant('Hi, as given', 'm2'), saidByUser('as given', 'm3')]
    const { messages } = await bench.pipeline().processInput(again)
    expect(lines(messages)).toEqual(['user: Hello', 'assistant: Hi, as given', 'user: as given'])
  })

  test('handles empty storage', async () => {
    const { messages } = await bench.pipeline().processInput('Hello')
    expect(lines(messages)).toEqual(['user: Hello'])
  })

  test('respects includeSystemMessages flag', async () => {
    const note: Message = { ...saidByUser('The user is in Oslo.'), role: 'system' }
    await bench.seed([note, saidByUser('Hello'), saidByAssistant('Hi')])
    const without = await bench.pipeline({ includeSystemMessages: false }).processInput('Now?')
    expect(without.systemMessages).toEqual([])
    expect(lines(without.messages)).toEqual(['user: Hello', 'assistant: Hi', 'user: Now?'])
    const systemMessages = [{ role: 'system', content: 'Be brief.' }] as const
    const including = await bench
      .pipeline({ includeSystemMessages: true })
      .processInput('Now?', { systemMessages })
    expect(including.systemMessages.map(({ content }) => content)).toEqual([
      'Be brief.',
      'The user is in Oslo.',
    ])
    expect(lines(including.messages)).toEqual(lines(without.messages))
  })

  test('handles storage errors gracefully', async () => {
    await bench.seed([saidByUser('Hello'), saidByAssistant('Hi')])
    const error = new MillraceError('STORAGE_UNAVAILABLE', 'The database cannot be reached.')
    bench.fail = () => error
    const model = new ScriptedModel(['Answered'])
    const events: string[] = []
    const agent = bench.agentWith(model, {})
    agent.on('processor', ({ processorId, hook, action }) => events.push(`${processorId} ${hook} ${action}`))
    const result = await agent.generate('Now?', place)
    expect(result).toHaveText('Answered')
    expect(model.lastPrompt).toHaveLength(1)
    expect(result.warnings).toEqual([
      { type: 'processor-skipped', processorId: 'message-history', hook: 'processInput', error },
      { type: 'processor-skipped', processorId: 'message-history', hook: 'wrapModelCall', error },
      { type: 'processor-skipped', processorId: 'message-history', hook: 'processOutputResult', error },
    ])
    await agent.close()
    expect(events).toEqual([
      'message-history wrapModelCall failed',
      'message-history processInput failed',
      'message-history processOutputResult failed',
    ])
    const strict = bench.agentWith(new ScriptedModel(['Answered']), { onError: 'fail' })
    await expect(strict.generate('Now?', place)).rejects.toMatchObject({ cause: error })
  })

  // Input: a run without a thread has no history.
  test('returns original messages when no threadId', async () => {
    await bench.seed([saidByUser('Hello')])
    const { messages } = await bench.pipeline({}, {}).processInput('Now?')
    expect(lines(messages)).toEqual(['user: Now?'])
    expect(bench.calls).toEqual([])
    const named = await bench.pipeline(place, {}).processInput('Now?')
    expect(lines(named.messages)).toEqual(['user: Hello', 'user: Now?'])
  })

  test('handles assistant messages with tool calls', async () => {
    const dangling = saidByAssistant('Let me look.', 'a1')
    dangling.content.parts.push(openCall('call-9'))
    await bench.seed([saidByUser('Rain?'), dangling])
    const model = new ScriptedModel(['No idea'])
    await bench.agentWith(model, {}).generate('And now?', place)
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(JSON.stringify(model.lastPrompt)).toContain('The call was not completed')
    expect((await bench.stored())[1]?.content.parts.at(-1)).toMatchObject({ state: 'input-available' })
  })

  test('handles tool result messages', async () => {
    const answered = saidByAssistant('Let me look.', 'a1')
    answered.content.parts.push(answeredCall('call-9', 'Rain'))
    await bench.seed([saidByUser('Rain?'), answered])
    const model = new ScriptedModel(['Yes'])
    // The message of a call has its result in it.
    await bench.agentWith(model, { lastMessages: 2 }).generate('Sure?', place)
    expect(model.lastPrompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(model.lastPrompt).toPairEveryToolCall()
  })

  test('saves user, assistant, tool-call, and tool-result messages', async () => {
    const model = new ScriptedModel([['Let me look.', toolCall('weather', { city: 'Oslo' })], 'It rains.'])
    await bench.agentWith(model, {}, { tools: { weather } }).generate('Umbrella?', place)
    const [question, answer, ...rest] = await bench.stored()
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
    const saves = bench.calls.filter((call) => call === 'saveMessages')
    // The question, the step that called the tool, and the whole turn.
    expect(saves).toHaveLength(3)
  })

  test('filters out ONLY system messages', async () => {
    const agent = bench.agentWith(new ScriptedModel(['Hi']), {}, { instructions: 'Be brief.' })
    await agent.generate(
      [
        { role: 'system', content: 'The user is in Oslo.' },
        { role: 'user', content: 'Hello' },
      ],
      { ...place, trusted: true },
    )
    expect(lines(await bench.stored())).toEqual(['user: Hello', 'assistant: Hi'])
  })

  test('updates thread metadata', async () => {
    await bench.storage.saveThread({ ...place, title: 'Greetings', metadata: { pinned: true } })
    const before = await bench.storage.getThread(place)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 })
    await bench.agentWith(new ScriptedModel(['Hi']), {}).generate('Hello', place)
    const after = await bench.storage.getThread(place)
    expect(after).toMatchObject({ title: 'Greetings', metadata: { pinned: true }, messageCount: 2 })
    expect(after?.createdAt).toEqual(before?.createdAt)
    expect(Number(after?.updatedAt)).toBeGreaterThan(Number(before?.updatedAt))
  })

  test('handles save failures gracefully', async () => {
    const error = new MillraceError('STORAGE_FULL', 'The disk is full.')
    bench.fail = (method) => (method === 'saveMessages' ? error : undefined)
    const result = await bench.agentWith(new ScriptedModel(['Hi']), {}).generate('Hello', place)
    expect(result).toHaveText('Hi')
    expect(result.warnings).toMatchObject([
      { hook: 'wrapModelCall', error },
      { hook: 'processOutputResult', error },
    ])
    expect(await bench.stored()).toEqual([])
  })

  test('handles thread update failures gracefully', async () => {
    const error = new MillraceError('STORAGE_BUSY', 'The database is locked.')
    bench.fail = (method) => (method === 'saveThread' ? error : undefined)
    const failures: unknown[] = []
    const agent = bench.agentWith(new ScriptedModel(['Hi']), {
      generateTitle: { model: new ScriptedModel(['Greetings']) },
    })
    agent.on('background-error', (event) => failures.push(event.processorId))
    const result = await agent.generate('Hello', place)
    await agent.close()
    expect(result).toHaveText('Hi')
    expect(lines(await bench.stored())).toEqual(['user: Hello', 'assistant: Hi'])
    expect(failures).toEqual(['message-history'])
  })

  // Output: a run without a thread is saved nowhere.
  test('returns original messages when no threadId', async () => {
    const result = await bench.agentWith(new ScriptedModel(['Hi']), {}).generate('Hello')
    expect(lines(result.messages)).toEqual(['assistant: Hi'])
    expect(bench.calls).toEqual([])
  })

  test('handles messages with only system messages', async () => {
    const run = bench.pipeline()
    run.messageList.add({ ...saidByUser('Be brief.'), role: 'system' }, 'response')
    await run.processOutputResult('')
    expect(bench.calls).toEqual([])
  })

  test('generates message IDs if not provided', async () => {
    const agent = bench.agentWith(new ScriptedModel(['Hi']), {})
    await agent.generate([{ role: 'user', content: 'Hello' }], place)
    const ids = (await bench.stored()).map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/.{8}/)
  })

  test('preserves existing message IDs', async () => {
    const agent = bench.agentWith(new ScriptedModel(['Hi']), {})
    const result = await agent.generate([saidByUser('Hello', 'from-client')], place)
    expect((await bench.stored()).map(({ id }) => id)).toEqual(['from-client', result.messages[0]?.id])
  })
})

test('generates a thread title once, in the background', async () => {
  const titles = new ScriptedModel(['## "Rain in Oslo."\nmore'])
  const agent = bench.agentWith(new ScriptedModel(['Yes', 'No']), { generateTitle: { model: titles } })
  await agent.generate('Does it rain?', place)
  await agent.close()
  expect(await bench.storage.getThread(place)).toMatchObject({ title: 'Rain in Oslo' })
  await agent.generate('And now?', place)
  await agent.close()
  expect(titles.callCount).toBe(1)
})

test.each([
  ['**Rain in Oslo**', 'Rain in Oslo'],
  ['\n  Title: “Regen”\nIch bin fertig', 'Regen'],
  ['🌧'.repeat(200), '🌧'.repeat(80)],
  [`${'.'.repeat(100_000)}x`, undefined],
  ['  \n', undefined],
])('from the answer %j, the title is %j', async (answer, title) => {
  const agent = bench.agentWith(new ScriptedModel(['Yes']), {
    generateTitle: { model: new ScriptedModel([answer]) },
  })
  await agent.generate('Does it rain?', place)
  await agent.close()
  const thread = await bench.storage.getThread(place)
  if (title === undefined) expect(thread?.title ?? '').not.toMatch(/\w/)
  else expect(thread?.title).toBe(title)
})

test.each([
  [
    'two histories',
    (storage: Store) => {
      const one = new MessageHistoryProcessor({ storage })
      return { processors: [one, new MessageHistoryProcessor({ storage, id: 'other' })] }
    },
  ],
  [
    'a history and a persistence among the output processors',
    (storage: Store) => ({
      outputProcessors: [
        new MessageHistoryProcessor({ storage }),
        new MessagePersistenceProcessor({ storage }),
      ],
    }),
  ],
])('%s are rejected', (_, lists) => {
  const model = new ScriptedModel([])
  expect(() => new Agent({ model, ...lists(bench.storage) })).toThrow(/message-history/)
})

test('history and persistence can be in separate lists', async () => {
  const { storage } = bench
  const agent = new Agent({
    model: new ScriptedModel(['Hi', 'Again']),
    inputProcessors: [new MessageHistoryProcessor({ storage })],
    outputProcessors: [new MessagePersistenceProcessor({ storage })],
  })
  await agent.generate('Hello', place)
  await agent.generate('Hello again', place)
  expect(lines(await bench.stored())).toHaveLength(4)
  const turn = ['listMessages', 'getMessages', 'saveMessages', 'saveMessages']
  expect(bench.calls).toEqual([...turn, ...turn, 'listMessages'])
})
