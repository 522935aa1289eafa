import type { Message, RunCall, Store } from '@millrace/core'
import type * as fastCheck from 'fast-check'
import { isThorough } from '../thorough.ts'
import { assert } from './assert.ts'
import { sampleMessage } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

type Method = Exclude<keyof Store, 'specVersion' | 'capabilities' | 'migrate' | 'close'>

interface Operation {
  method: Method
  values: readonly unknown[]
}

const SEQUENCES = isThorough ? 500 : 50

/** In milliseconds. On a slow server, fewer sequences are tested within the timeout. */
const MOST_TIME = 200_000

const model = 'example-embedding'

export const randomOperations: StorageRules = {
  'behaves like the in-memory store for any sequence of operations': async ({ store }) => {
    // Imported lazily: most tests with this package test no store.
    const fc = await import('fast-check')
    const { InMemoryStore } = await import('@millrace/core/storage')
    const reference = new InMemoryStore()
    let rounds = 0
    const sequences = fc.array(anyOperation(fc, store), { minLength: 1, maxLength: 40 })
    const property = fc.asyncProperty(sequences, async (operations) => {
      // New resources for each sequence, so that sequences are independent.
      const round = rounds++
      for (const operation of [...operations, ...FINALLY]) {
        const wanted = await outcomeOf(reference, operation, round)
        assert.deepEqual(await outcomeOf(store, operation, round), wanted, JSON.stringify(operation))
      }
    })
    await fc.assert(property, { numRuns: SEQUENCES, interruptAfterTimeLimit: MOST_TIME })
  },
}

function anyOperation(fc: typeof fastCheck, { capabilities }: Store): fastCheck.Arbitrary<Operation> {
  const optional = <VALUE>(value: fastCheck.Arbitrary<VALUE>) => fc.option(value, { nil: undefined })
  const resourceId = fc.constantFrom('ada', 'bob')
  const threadId = fc.constantFrom('one', 'two')
  const messageId = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const key = { threadId, resourceId }
  const json = fc.dictionary(fc.constantFrom('x', 'y'), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })
  const limit = optional(fc.integer({ min: 1, max: 4 }))
  const text = fc.constantFrom(
    'red',
    'red mill',
    'blue mill',
    'mill mill',
    'the river',
    '',
    '東京',
    '😀 Réd\0\ud800',
  )
  const label = fc.record({ x: fc.constantFrom(1, '1', true, null, 'é') }, { requiredKeys: [] })
  const time = fc.constantFrom(-1, 0, 1, 5)
  const message = fc
    .record({
      id: messageId,
      text,
      label,
      role: fc.constantFrom<Message['role'][]>('user', 'assistant', 'system'),
      time,
    })
    .map(({ id, text, label, role, time }) => {
      const content = { parts: [{ type: 'text' as const, text }], metadata: label }
      return sampleMessage(id, text, { role, createdAt: new Date(time), content })
    })
  const filter = {
    threadId: optional(threadId),
    role: optional(fc.constantFrom('user', 'assistant')),
    createdFrom: optional(time.map((milliseconds) => new Date(milliseconds))),
    createdBefore: optional(time.map((milliseconds) => new Date(milliseconds))),
    metadata: optional(label),
  }
  const messages = fc.uniqueArray(message, { selector: ({ id }) => id, maxLength: 4 })
  const changes = { title: optional(fc.constantFrom('Red mill', '', null)), metadata: optional(json) }
  const ifVersion = optional(fc.nat(3))
  const amount = fc.integer({ min: -3, max: 5 })
  const runId = fc.constantFrom('run-1', 'run-2', 'run-3')
  const vector = fc.constantFrom([1, 0], [0, 1], [1, 1], [-1, 2], [0])
  const of = (
    method: Method,
    options: Record<string, fastCheck.Arbitrary<unknown>>,
  ): fastCheck.Arbitrary<Operation> => fc.record(options).map((values) => ({ method, values: [values] }))
  const createdAt = Date.now()
  const stored = { agentName: fc.constant('agent'), payload: json, snapshot: fc.constant('{}') }
  const times = {
    createdAt: fc.constant(createdAt),
    expiresAt: fc.constantFrom(createdAt - 1, createdAt + 3_600_000),
  }
  const held = { runId, attempt: fc.constantFrom(1, 1, 2), resourceId }
  const lease = { leaseMs: fc.constant(3_600_000) }
  const call = (id: string): RunCall => ({
    toolCallId: id,
    toolName: 'tool',
    input: { id },
    attempt: 1,
    startedAt: 0,
  })
  const calls = fc.array(fc.constantFrom('a', 'b').map(call), { maxLength: 3 })
  const stream = { runId, resourceId }
  return fc.oneof(
    {
      weight: 12,
      arbitrary: of('saveMessages', {
        ...key,
        messages,
        deleteAfter: optional(messageId),
        thread: fc.record(changes),
      }),
    },
    of('deleteMessages', { ...key, messageIds: fc.array(messageId, { maxLength: 3 }) }),
    of('listMessages', {
      ...key,
      order: optional(fc.constantFrom('asc', 'desc')),
      limit,
      before: optional(messageId),
    }),
    of('getMessages', {
      resourceId,
      messages: fc.array(fc.record({ threadId, messageId }), { maxLength: 3 }),
      previous: optional(fc.nat(2)),
      next: optional(fc.nat(2)),
    }),
    of('saveThread', { ...key, ...changes, state: optional(json), ifVersion }),
    of('listThreads', { resourceId, orderBy: optional(fc.constantFrom('createdAt', 'updatedAt')), limit }),
    of('getThread', key),
    of('deleteThread', key),
    of('saveResource', { resourceId, metadata: optional(json), state: optional(json), ifVersion }),
    of('deleteResource', { resourceId }),
    {
      weight: 2,
      arbitrary: of('addToCounter', {
        resourceId,
        key: threadId,
        amount,
        limit: optional(fc.integer({ min: -2, max: 6 })),
      }),
    },
    of('setKey', { resourceId, key: threadId, value: text, ifAbsent: optional(fc.boolean()) }),
    of('getKey', { resourceId, key: threadId }),
    of('deleteKey', { resourceId, key: threadId }),
    of('saveRun', { runId, ...key, ...stored, ...times }),
    fc
      .tuple(runId, fc.record({ owner: fc.record({ resourceId }), ...lease, ifVersion: optional(fc.nat(2)) }))
      .map((values) => ({ method: 'claimRun' as const, values })),
    fc
      .tuple(fc.record(held), fc.record({ ...lease, calls, snapshot: optional(fc.constant('{"new":1}')) }))
      .map((values) => ({ method: 'updateRun' as const, values })),
    fc
      .tuple(fc.record(held), fc.constantFrom('done', 'interrupted', 'released'))
      .map((values) => ({ method: 'endRun' as const, values })),
    fc
      .tuple(fc.record({ runId, ...key, ...stored, ...times }), fc.record({ after: fc.record(held) }))
      .map((values) => ({ method: 'saveRun' as const, values })),
    fc.tuple(runId, fc.record({ resourceId })).map((values) => ({ method: 'releaseRun' as const, values })),
    of('appendToStream', {
      ...stream,
      threadId: optional(threadId),
      offset: fc.nat(3),
      chunks: fc.array(fc.constantFrom('x', '"é"', ''), { maxLength: 3 }),
      end: optional(fc.boolean()),
    }),
    of('readStream', { ...stream, from: optional(fc.nat(3)), limit }),
    of('deleteStream', stream),
    fc.tuple(runId, fc.record({ resourceId })).map((values) => ({ method: 'getRun' as const, values })),
    of('listRuns', key),
    ...(capabilities.search
      ? [
          of('searchMessages', { resourceId, ...filter, query: text }),
          of('searchThreads', { resourceId, query: optional(text), metadata: optional(label) }),
        ]
      : []),
    ...(capabilities.vectors
      ? [
          of('saveVectors', {
            ...key,
            model: fc.constant(model),
            vectors: fc.array(fc.record({ messageId, vector }), { maxLength: 3 }),
          }),
          of('searchVectors', {
            resourceId,
            ...filter,
            model: fc.constant(model),
            vector,
            minScore: optional(fc.constantFrom(-1.5, 0.5, Number.POSITIVE_INFINITY)),
          }),
          of('listMessagesWithoutVector', { resourceId, model: fc.constant(model) }),
        ]
      : []),
  )
}

/** Reads everything, after every sequence. */
const FINALLY: readonly Operation[] = ['ada', 'bob'].flatMap((resourceId) => [
  { method: 'listThreads', values: [{ resourceId }] },
  { method: 'getResource', values: [{ resourceId }] },
  { method: 'listMessages', values: [{ threadId: 'one', resourceId }] },
  { method: 'listMessages', values: [{ threadId: 'two', resourceId }] },
  { method: 'listRuns', values: [{ resourceId }] },
])

/** The result of a call without what differs between stores, or the code of its error. */
async function outcomeOf(store: Store, { method, values }: Operation, round: number): Promise<unknown> {
  const own = structuredClone(values).map((value) => withRound(value, round))
  try {
    const value = await (store[method] as (...values: unknown[]) => Promise<unknown>)(...own)
    return { value: comparable(value, method) }
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === undefined) throw error
    return { code }
  }
}

/** The value with the resources and runs of one round. */
function withRound(value: unknown, round: number): unknown {
  if (typeof value === 'string') return /^(?:run-\d)$/.test(value) ? `${value}-${round}` : value
  const options = value as Record<string, unknown>
  return {
    ...options,
    ...(options.resourceId !== undefined && { resourceId: `${options.resourceId}-${round}` }),
    ...(options.runId !== undefined && { runId: `${options.runId}-${round}` }),
    ...(options.owner !== undefined && { owner: withRound(options.owner, round) }),
    ...(options.after !== undefined && { after: withRound(options.after, round) }),
  }
}

const READS_MESSAGES: readonly Method[] = ['listMessages', 'getMessages', 'searchMessages', 'searchVectors']

/** Without timestamps and positions, which differ between stores, and vector scores, which are not exact. */
function comparable(value: unknown, method: Method): unknown {
  // Messages keep their timestamps; those of threads and resources are set by the store.
  const differing = [
    'updatedAt',
    'sequence',
    'leaseUntil',
    ...(method === 'searchVectors' ? ['score'] : []),
    ...(READS_MESSAGES.includes(method) ? [] : ['createdAt']),
  ]
  const json = JSON.stringify(value ?? null, (name, field) => (differing.includes(name) ? undefined : field))
  const result = JSON.parse(json)
  if (result?.nextCursor !== undefined) result.nextCursor = 'some'
  if (method === 'searchThreads') {
    const hits: { thread: { id: string }; score: number }[] = result
    return hits.map(({ thread, score }) => `${thread.id} ${score.toFixed(4)}`).toSorted()
  }
  const isUnordered = method === 'searchMessages' || method === 'listMessagesWithoutVector'
  if (!isUnordered) return result
  const hits: { message: Message; score?: number }[] = Array.isArray(result) ? result : result.items
  return hits
    .map(({ message, score = 0 }) => `${message.threadId} ${message.id} ${score.toFixed(4)}`)
    .toSorted()
}
