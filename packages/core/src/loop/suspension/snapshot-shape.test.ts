import { expect, test } from 'vitest'
import { isRecord } from '../../record.ts'

const usage = {
  inputTokens: 7,
  outputTokens: 2,
  totalTokens: 9,
  inputTokenDetails: { noCacheTokens: 4, cacheReadTokens: 2, cacheWriteTokens: 1 },
  outputTokenDetails: { textTokens: 1, reasoningTokens: 1 },
}
const providerMetadata = { acme: { cached: true } }
const call = { toolCallId: 'c1', toolName: 'look', providerMetadata }
const display = { title: 'Look', toolMetadata: { icon: 'eye' } }
const part = { id: 't1', providerMetadata }
const systemMessage = { role: 'system', content: 'Be brief.', providerOptions: { acme: {} } }

function message(role: string): object {
  return {
    id: role,
    role,
    content: { parts: [{ type: 'text', text: 'Hi' }], metadata: { from: 'web' } },
    createdAt: '2020-02-29T00:00:00.000Z',
  }
}

const chunks = [
  { type: 'text-start', ...part },
  { type: 'text-delta', ...part, textDelta: 'Hi' },
  { type: 'text-end', ...part },
  { type: 'reasoning-start', ...part },
  { type: 'reasoning-delta', ...part, textDelta: 'Hm' },
  { type: 'reasoning-end', ...part },
  { type: 'tool-input-start', ...call, ...display },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{' },
  { type: 'tool-input-end', toolCallId: 'c1' },
  { type: 'tool-call', ...call, ...display },
  { type: 'tool-result', ...call },
  { type: 'tool-error', ...call, error: 'no connection' },
  { type: 'tool-denied', ...call, reason: 'not allowed' },
  { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', providerMetadata },
  { type: 'reasoning-file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', providerMetadata },
  { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com', title: 'Example' },
  {
    type: 'source',
    sourceType: 'document',
    id: 's2',
    mediaType: 'text/plain',
    title: 'A',
    filename: 'a.txt',
  },
  { type: 'custom', kind: 'acme.note' },
  { type: 'step-start', stepNumber: 0 },
  { type: 'step-finish', stepNumber: 0, finishReason: 'stop', usage },
  { type: 'finish', status: 'completed', finishReason: 'stop', usage },
]

const step = {
  number: 0,
  discarded: [{ reason: 'too long', processorId: 'judge', usage }],
  text: 'Hi',
  reasoningText: 'Hm',
  toolCalls: [call],
  toolResults: [
    { status: 'success', ...call },
    { status: 'error', ...call, error: 'no connection' },
    { status: 'denied', ...call, reason: 'not allowed' },
  ],
  calls: {
    c1: {
      input: 1,
      decision: { kind: 'execute', input: {} },
      approval: { status: 'requested', reason: 'much', expiresAt: 1, edited: { input: 1 } },
      suspended: { payload: 'Shall I?', answer: {} },
      interrupted: { answer: 'open', executed: true, resumed: {} },
      outcome: { status: 'success' },
      review: 'judge',
      decidedBy: 'ada',
      retries: 1,
      executed: { input: {} },
    },
    c2: { decision: { kind: 'client' }, outcome: { status: 'error', error: 'no connection' }, review: null },
    c3: {
      decision: { kind: 'answer', answer: { status: 'success' } },
      outcome: { status: 'denied', reason: 'not allowed' },
    },
  },
  answered: 0,
  finishReason: 'tool-calls',
  usage,
  warnings: [{ type: 'other' }],
  request: {
    provider: 'acme',
    modelId: 'a1',
    modelSettings: { temperature: 1 },
    tools: ['look'],
    messageCount: 2,
  },
  response: { id: 'r1', modelId: 'a1', timestamp: '2020-02-29T00:00:00.000Z', headers: { server: 'acme' } },
  providerMetadata,
  settings: {
    messages: [message('user')],
    systemMessages: [systemMessage],
    activeTools: ['look'],
    providerOptions: { acme: {} },
    modelSettings: { temperature: 1 },
    modelId: 'a1',
    replacedBy: 'sandbox',
  },
  follow: [message('user')],
  toolsRan: false,
  wrote: true,
  emitted: true,
  modelFailures: 0,
  modelError: { code: 'MODEL_FAILED', message: 'no connection' },
  end: 'completed',
  reviewed: true,
  held: [...chunks, { type: 'data-chart', data: 1 }],
  started: true,
  finished: false,
  lastChunk: chunks.at(-1),
  toolNames: ['look'],
  elapsedMs: 1.5,
}

/** The stored form of a run in which everything is that may be in one. */
const whole: unknown = unshared({
  version: 1,
  place: { phase: 'approval', processor: 'asker', toolCallId: 'c1' },
  messages: [
    { message: message('system'), origin: 'remembered' },
    { message: message('user'), origin: 'input' },
    { message: message('assistant'), origin: 'response' },
    { message: message('user'), origin: 'context' },
  ],
  systemMessages: [systemMessage],
  steps: [{ ...step, held: null, end: 'limit' }],
  current: step,
  usage,
  retryCount: 0,
  feedback: 'Be good.',
  responseId: 'a1',
  warnings: [{ type: 'other' }],
  halt: { reason: 'paused', processorId: 'judge', hook: 'processInput' },
  records: [
    {
      processorId: 'judge',
      hook: 'processInput',
      stepNumber: 0,
      action: 'passed',
      calls: 1,
      durationMs: 0.5,
      modelUsage: [{ provider: 'acme', modelId: 'a1', calls: 1, usage }],
    },
  ],
  processors: { judge: { seen: 1 } },
})

function unshared(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** What the application, its processors, its tools and the provider write is theirs. */
const FREE =
  /^version|^processors\.\w+\.|(modelSettings|headers|metadata|providerMetadata|providerOptions|toolMetadata|resumed|edited|executed)\.|calls\.\w+\.input|decision\.input|suspended\.payload|\.data$/i

/** Of what is checked together, the whole is named. */
const TOGETHER = /\.(?:parts|held\.\d+(?=\.type)|lastChunk(?=\.type))(?=\.)/

/** Objects by ids and names of the application. */
const BY_ID = /(?<=(?:\.calls|processors))\.(\w+)/

function* placesIn(value: unknown, above = ''): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    yield above + key
    yield* placesIn(item, `${above}${key}.`)
  }
}

/** The same with another value at a place; without the field if that is `undefined`. */
function changed(value: unknown, place: string, change: (value: unknown) => unknown): unknown {
  const copy = unshared(value)
  const keys = place.split('.')
  const last = keys.pop() as string
  let owner = copy as Record<string, unknown>
  for (const key of keys) owner = owner[key] as Record<string, unknown>
  owner[last] = change(owner[last])
  if (owner[last] === undefined) delete owner[last]
  return copy
}

function nameOf(place: string): string {
  const together = TOGETHER.exec(place)
  const named = together ? place.slice(0, together.index + together[0].length) : place
  return named.replace(BY_ID, "['$1']").replaceAll(/\.(\d+)/g, '[$1]')
}

/** `null` stands for something there. */
const NULLABLE = /\.held$|\.review$/

const REQUIRED = [
  'place',
  'messages.0.message.id',
  'steps',
  'current.text',
  'current.toolCalls.0.toolName',
  'usage',
]

const COUNTS = [
  'retryCount',
  'current.number',
  'current.answered',
  'current.held.18.stepNumber',
  'records.0.calls',
]

/** A value of another type. */
function other(value: unknown): unknown {
  if (typeof value === 'string' || isRecord(value)) return [1]
  return typeof value === 'number' ? '1' : 1
}

// What the module holds is made when it is loaded: in this test, so that a change of any of it is noticed.
test('names the damaged field of a stored run', async () => {
  const { damagedPath } = await import('./snapshot-shape.ts')
  expect(damagedPath(whole)).toBeUndefined()
  const places = [...placesIn(whole)].filter((place) => !FREE.test(place))
  for (const place of places) {
    expect(damagedPath(changed(whole, place, other)), place).toBe(nameOf(place))
    if (!NULLABLE.test(place))
      expect(damagedPath(changed(whole, place, () => null)), place).toBe(nameOf(place))
  }
  expect(places.length).toBeGreaterThan(500)
  for (const place of REQUIRED)
    expect(damagedPath(changed(whole, place, () => undefined))).toBe(nameOf(place))
  for (const place of COUNTS) {
    for (const value of [-1, 0.5]) expect(damagedPath(changed(whole, place, () => value))).toBe(nameOf(place))
  }
  for (const value of [null, 'run', [whole]]) expect(damagedPath(value)).toBe('')
})

test('accepts fields and chunks of later versions and of the application', async () => {
  const { damagedPath } = await import('./snapshot-shape.ts')
  expect(damagedPath({ ...(whole as object), added: 1 })).toBeUndefined()
  for (const type of ['data-chart', 'of-later', 'constructor']) {
    expect(damagedPath(changed(whole, 'current.held.0', () => ({ type })))).toBeUndefined()
  }
  // A field is one of its own.
  const { usage: _, ...rest } = whole as Record<string, unknown>
  expect(damagedPath(Object.setPrototypeOf(rest, { usage }))).toBe('usage')
  const answer = { kind: 'constructor' }
  expect(damagedPath(changed(whole, 'current.calls.c1.decision', () => answer))).toBe(
    "current.calls['c1'].decision.kind",
  )
  const long = 'x'.repeat(1_000)
  expect(damagedPath(changed(whole, 'processors', () => ({ [long]: 1 })))).toBe(
    `processors['${long.slice(0, 40)}']`,
  )
})
