import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, MillraceError, type Processor, type Store, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { emptyDatabase } from '../../store-postgres/test/pglite.ts'
import { openStores } from '../src/evaluate/stores.ts'
import { backfill, Memory } from '../src/index.ts'
import { ConceptEmbedder } from './concept-embedder.ts'
import { lines, saidByUser } from './texts.ts'
import { watchStore } from './watched-store.ts'

expect.extend(matchers)

const folder = mkdtempSync(join(tmpdir(), 'millrace-memory-'))
afterAll(() => rmSync(folder, { recursive: true }))

const stores = Object.entries(openStores(folder, await emptyDatabase()))
const place = { threadId: 'thread-1', resourceId: 'user-1' }
const weather = tool({ inputSchema: z.object({}), execute: () => 'Rain' })

describe.each(stores)('a conversation in the store %s', (_, open) => {
  let storage: Store

  beforeAll(async () => {
    storage = open()
    await storage.migrate()
  })

  afterEach(() => storage.deleteResource({ resourceId: place.resourceId }))

  afterAll(() => storage.close())

  test('continues, is regenerated, copied and deleted', async () => {
    const memory = new Memory({ storage, lastMessages: 3, semanticRecall: true })
    const model = new ScriptedModel([
      [toolCall('weather', {})],
      'It rains in Oslo.',
      'Take the red umbrella.',
      'Take the blue umbrella.',
      'Hello again.',
    ])
    const agent = new Agent({ model, memory, tools: { weather } })
    await agent.generate([saidByUser('Weather in Oslo?', 'm1')], place)
    await agent.generate([saidByUser('What to take?', 'm2')], place)
    await agent.generate([saidByUser('What to take?', 'm2')], place)
    const stored = await memory.getMessages(place)
    expect(lines(stored)).toEqual([
      'user: Weather in Oslo?',
      'assistant: It rains in Oslo.',
      'user: What to take?',
      'assistant: Take the blue umbrella.',
    ])
    expect(stored).toPairEveryToolCall()
    expect(await memory.getThreadById(place)).toMatchObject({ messageCount: 4 })

    await memory.cloneThread({ ...place, newThreadId: 'branch', last: 2 })
    const { items, nextCursor } = await memory.getThreads({ resourceId: 'user-1', limit: 1 })
    expect(items).toMatchObject([{ id: 'branch', messageCount: 2 }])
    expect((await memory.getThreads({ resourceId: 'user-1', cursor: nextCursor })).items).toHaveLength(1)

    expect(lines(await memory.query({ ...place, query: 'raining', topK: 1, messageRange: 0 }))).toEqual([
      'assistant: It rains in Oslo.',
    ])
    expect(await memory.deleteMessages(stored[0]?.id ?? '', place)).toBe(1)
    expect(await memory.deleteThread(place)).toBe(true)
    const { warnings } = await agent.generate('Hello', place)
    expect(warnings).toEqual([])
    expect(lines(await memory.getMessages(place))).toEqual(['user: Hello', 'assistant: Hello again.'])
  })

  test('is copied with its vectors', async () => {
    if (!storage.capabilities.vectors) return
    const embedder = new ConceptEmbedder()
    const memory = new Memory({ storage, semanticRecall: { embedder, scope: 'thread' } })
    await memory.saveMessages([saidByUser('The dog'), saidByUser('The car')], place)
    await backfill({ storage, embedder }, place)
    const asked = embedder.calls.length
    const { messageCount } = await memory.cloneThread({ ...place, newThreadId: 'branch' })
    expect([messageCount, embedder.calls.length]).toEqual([2, asked])
    await memory.deleteThread(place)
    const found = await memory.query({
      ...place,
      threadId: 'branch',
      query: 'puppy',
      topK: 1,
      messageRange: 0,
    })
    expect(lines(found)).toEqual(['user: The dog'])
  })

  test('is found by words, title and metadata', async () => {
    const memory = new Memory({ storage })
    const agent = new Agent({ model: new ScriptedModel(['It rains in Oslo.', 'Take the tram.']), memory })
    await agent.generate('What about the weather?', place)
    await agent.generate('How do I get there?', { ...place, threadId: 'thread-2' })
    await memory.updateThread({ ...place, title: 'Umbrellas', metadata: { city: 'Oslo' } })
    const find = async (options: { query?: string; metadata?: { city: string } }) =>
      (await memory.searchThreads({ resourceId: place.resourceId, ...options })).map(
        ({ thread, message }) => [thread.id, message && lines([message])[0]],
      )
    expect(await find({ query: 'raining' })).toEqual([['thread-1', 'assistant: It rains in Oslo.']])
    expect(await find({ query: 'umbrella' })).toEqual([['thread-1', undefined]])
    expect(await find({ metadata: { city: 'Oslo' } })).toEqual([['thread-1', undefined]])
    expect((await find({})).map(([id]) => id)).toEqual(['thread-1', 'thread-2'])
    expect(await memory.searchThreads({ resourceId: 'user-2', query: 'raining' })).toEqual([])
  })

  test('saves a turn step by step, and keeps only the calls of a blocked one', async () => {
    const memory = new Memory({ storage })
    const guard: Processor = {
      id: 'guard',
      processOutputStep: ({ text, abort }) => (text === 'Bad' ? abort('No.') : undefined),
    }
    const model = new ScriptedModel([[toolCall('weather', {})], 'Bad', 'Good'])
    const agent = new Agent({ model, memory, processors: [guard], tools: { weather } })
    expect(await agent.generate('Say something bad', place)).toHaveTripped()
    await agent.close()
    const blocked = await memory.getMessages(place)
    expect(lines(blocked)).toEqual(['user: Say something bad', 'assistant: '])
    expect(JSON.stringify(blocked)).toContain('Rain')
    await agent.generate('Say something good', place)
    expect(lines(await memory.rememberMessages(place))).toEqual([
      'user: Say something bad',
      'assistant: ',
      'user: Say something good',
      'assistant: Good',
    ])
  })

  test.each(['turn', 'step'] as const)(
    'keeps a run that could not be saved by %s until it is resumed',
    async (persist) => {
      const watched = watchStore(storage)
      let calls = 0
      const weigh = tool({ inputSchema: z.object({}), execute: () => `weight ${++calls}` })
      const model = new ScriptedModel([[toolCall('weigh', {})], 'Heavy.'])
      const agent = new Agent({
        model,
        memory: new Memory({ storage: watched.storage, persist }),
        tools: { weigh },
      })
      watched.fail = (method) =>
        method === 'saveMessages' ? new MillraceError('STORAGE_CONFLICT', 'No.') : undefined
      const run = await agent.generate('How heavy?', place)
      expect(run).toHaveStatus('suspended')
      watched.fail = () => undefined
      const [waiting] = await agent.suspendedRuns(place)
      expect(waiting).toMatchObject({ runId: run.runId, payload: { type: 'thread-unwritten' } })
      expect(await agent.resume(run.runId, undefined, place)).toHaveText('Heavy.')
      const stored = await new Memory({ storage }).getMessages(place)
      expect(lines(stored)).toEqual(['user: How heavy?', 'assistant: Heavy.'])
      expect(JSON.stringify(stored)).toContain('weight 1')
      expect(calls).toBe(1)
      expect(await agent.suspendedRuns(place)).toEqual([])
    },
  )

  test.each(['turn', 'step'] as const)(
    'with several agents at once loses nothing, saved by %s',
    async (persist) => {
      const names = ['a', 'b', 'c', 'd']
      const agents = names.map(
        (name) =>
          new Agent({
            model: new ScriptedModel([`answer ${name}`]),
            memory: new Memory({ storage, persist }),
          }),
      )
      const results = await Promise.all(
        agents.map((agent, index) => agent.generate(`question ${names[index]}`, place)),
      )
      expect(results.flatMap(({ warnings }) => warnings)).toEqual([])
      const said = lines(await new Memory({ storage }).getMessages(place))
      expect([...said].sort()).toEqual(
        names.flatMap((name) => [`assistant: answer ${name}`, `user: question ${name}`]).sort(),
      )
      for (const name of names) {
        const [question, answer] = [
          said.indexOf(`user: question ${name}`),
          said.indexOf(`assistant: answer ${name}`),
        ]
        // A turn that is saved at once is not interrupted by others.
        if (persist === 'turn') expect(answer).toBe(question + 1)
        else expect(answer).toBeGreaterThan(question)
      }
    },
  )
})
