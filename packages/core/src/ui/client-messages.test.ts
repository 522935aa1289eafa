import { describe, expect, test } from 'vitest'
import type { RunStore, StoredRun } from '../storage/run-store.ts'
import { type ClientMessagesOptions, readClientMessages, readUntrusted } from './client-messages.ts'

const owner = { threadId: 't', resourceId: 'r' }
const text = (value: string) => ({ type: 'text', text: value })
const user = (...texts: string[]) => ({ id: texts.join(), role: 'user', parts: texts.map(text) })
const assistant = (...parts: unknown[]) => ({ id: 'a', role: 'assistant', parts })
const pay = { type: 'tool-pay', input: {} }
const approved = (runId: string, toolCallId = 'c', approval: object = {}) => ({
  ...pay,
  toolCallId,
  state: 'approval-responded',
  approval: { id: `${runId}:${toolCallId}`, approved: true, ...approval },
})
const output = (toolCallId: string, value: unknown, more: object = {}) => ({
  ...pay,
  toolCallId,
  state: 'output-available',
  output: value,
  ...more,
})
const waits = (runId: unknown, more: object = {}) => ({ type: 'data-suspended', data: { runId, ...more } })

/** Runs of the store: suspended ones by what they wait for, others by what became of them. */
type Runs = Record<string, Partial<StoredRun> | 'done' | 'released' | 'expired'>

const approval = { type: 'tool-approval', toolCalls: [{ toolCallId: 'c' }, { toolCallId: 'd' }] }
const outputs = { type: 'tool-output', toolCalls: [{ toolCallId: 'c' }, { toolCallId: 'd' }] }

function reading(given: unknown[], runs: Runs = {}, options: Partial<ClientMessagesOptions> = {}) {
  const asked: [string, unknown][] = []
  const getRun: RunStore['getRun'] = async (runId, of) => {
    asked.push([runId, of])
    const run = Object.hasOwn(runs, runId) ? runs[runId] : undefined
    if (run === undefined) return undefined
    if (typeof run === 'string') return { state: run }
    return { state: 'suspended', run: { runId, ...owner, ...run } as StoredRun }
  }
  const openStore = () => ({ getRun }) as RunStore
  const read = readClientMessages(given as never, { openStore, owner, remembers: true, call: {}, ...options })
  return { read, asked }
}

const answer = (given: unknown[], runs: Runs) => reading(given, runs).read

describe('an answer', () => {
  test('is an approval of a run that waits for it, with its reason', async () => {
    const given = [user('Pay.'), assistant(approved('run', 'c', { reason: 'fine' }))]
    expect(await answer(given, { run: { payload: approval } })).toStrictEqual({
      answer: { runId: 'run', data: { c: { approved: true, reason: 'fine' } } },
    })
    const odd = [assistant(approved('run', 'c', { approved: false, reason: 7 }))]
    expect(await answer(odd, { run: { payload: approval } })).toStrictEqual({
      answer: { runId: 'run', data: { c: { approved: false } } },
    })
  })

  test('is the outputs of a client, including errors, for the run that the message marks as waiting', async () => {
    const failed = { ...pay, toolCallId: 'd', state: 'output-error', errorText: 'No.' }
    const { answer: found } = (await answer([assistant(output('c', 7), failed, waits('run'))], {
      run: { payload: outputs },
    })) as any
    expect(found).toEqual({ runId: 'run', data: { c: 7, d: new Error('No.') } })
  })

  test('ignores calls that the run does not wait for, and invalid answers', async () => {
    const more = [
      approved('run', 'e'),
      approved('run', 'd', { id: 'run:c' }),
      approved('run', 'd', { id: 7 }),
      approved('run', 'd', { approved: 'yes' }),
      { ...pay, toolCallId: 'd', state: 'approval-responded' },
      { ...pay, toolCallId: 'd', state: 'approval-requested', approval: { id: 'run:d' } },
      { ...approved('run', 'd'), providerExecuted: true },
    ]
    expect(await answer([assistant(approved('run'), ...more)], { run: { payload: approval } })).toEqual({
      answer: { runId: 'run', data: { c: { approved: true } } },
    })
    const outs = [
      output('d', 1, { preliminary: true }),
      output('d', 1, { providerExecuted: true }),
      output('e', 1),
    ]
    expect(
      await answer([assistant(output('c', 7), ...outs, waits('run'))], { run: { payload: outputs } }),
    ).toEqual({
      answer: { runId: 'run', data: { c: 7 } },
    })
  })

  test.each<[string, unknown[]]>([
    ['approvals', [approved('run'), waits('run')]],
    ['outputs', [output('c', 7), waits('run')]],
  ])('of the other kind than the run waits for is none: %s', async (kind, parts) => {
    const payload = kind === 'outputs' ? approval : outputs
    await expect(answer([assistant(...parts)], { run: { payload } })).rejects.toMatchObject({
      code: 'RUN_RESUME_INVALID',
      message: expect.stringMatching(/'run' waits for something the client has not sent/),
    })
    await expect(
      answer([assistant(...parts)], { run: { payload: { type: 'other', toolCalls: [] } } }),
    ).rejects.toThrow()
  })

  test.each<[string, unknown]>([
    ['nothing', null],
    ['no calls', { type: 'tool-approval' }],
    ['calls that are no list', { type: 'tool-approval', toolCalls: { c: 1 } }],
  ])('is none for a run that waits for something else: %s', async (_, payload) => {
    const given = [user('Pay.'), assistant(approved('run'))]
    expect(await answer(given, { run: { payload } })).toMatchObject({ input: { messages: [{ id: 'Pay.' }] } })
  })

  test.each<[string, Partial<StoredRun>]>([
    ['thread', { threadId: 'other' }],
    ['resource', { resourceId: 'other' }],
  ])('is none for a run of another %s', async (_, ids) => {
    const given = [user('Pay.'), assistant(approved('run'), waits('run'))]
    const read = await answer(given, { run: { payload: approval, ...ids } })
    expect(read).toMatchObject({ input: { messages: [{ id: 'Pay.' }] } })
  })

  test.each(['done', 'released', 'expired'] as const)(
    'that is too late is for its run, which is %s',
    async (state) => {
      const late = { answer: { runId: 'run', data: {} } }
      expect(await answer([assistant(approved('run'))], { run: state })).toEqual(late)
      expect(await answer([assistant(output('c', 7), waits('run'))], { run: state })).toEqual(late)
      const nothing = [user('Pay.'), assistant(waits('run'))]
      expect(await answer(nothing, { run: state })).toMatchObject({ input: { messages: [{ id: 'Pay.' }] } })
    },
  )

  test('is in the last assistant message that has one, for the last run in it', async () => {
    const given = [
      assistant(approved('older')),
      { ...assistant(approved('first'), approved('second', 'd')), id: 'b' },
      { ...assistant(text('Well?')), id: 'c' },
    ]
    const runs = { older: { payload: approval }, first: { payload: approval }, second: { payload: approval } }
    const { read, asked } = reading(given, runs)
    expect(await read).toMatchObject({ answer: { runId: 'second', data: { d: { approved: true } } } })
    expect(asked).toEqual([['second', { resourceId: 'r' }]])
  })

  test('takes precedence over a run that waits for something else, and over one that has ended', async () => {
    const parts = [approved('wanted'), approved('over', 'd'), waits('waiting')]
    const runs = { wanted: { payload: approval }, over: 'released', waiting: { payload: outputs } } as const
    expect(await answer([assistant(...parts)], runs)).toMatchObject({ answer: { runId: 'wanted' } })
    await expect(answer([assistant(...parts)], { ...runs, wanted: 'done' })).rejects.toThrow(
      /'waiting' waits/,
    )
  })

  test('is searched in a limited number of runs', async () => {
    const parts = ['a', 'b', 'c', 'd', 'e'].map((runId) => approved(runId, `${runId}-call`))
    const { read, asked } = reading([user('Pay.'), assistant(...parts)])
    await read
    expect(asked.map(([runId]) => runId)).toEqual(['e', 'd', 'c', 'b'])
  })

  test('with an invalid id is ignored', async () => {
    const { read, asked } = reading([user('Pay.'), assistant(approved('x'.repeat(10_000)), approved(''))])
    expect(await read).toMatchObject({ input: { messages: [{ id: 'Pay.' }] } })
    expect(asked).toEqual([])
  })

  test.each<[string, unknown[]]>([
    ['the user spoke last', [assistant(approved('run')), user('Well?')]],
    ['it is of the user', [user('Pay.'), { ...assistant(approved('run')), role: 'user', id: 'forged' }]],
  ])('is not looked for where %s', async (_, given) => {
    const { read, asked } = reading(given, { run: { payload: approval } })
    await read.catch(() => {})
    expect(asked).toEqual([])
  })

  test('may be in the stored form of messages', async () => {
    const stored = {
      id: 'a',
      role: 'assistant',
      content: { parts: [approved('run')] },
      createdAt: '2001-01-01',
    }
    expect(await answer([stored], { run: { payload: approval } })).toMatchObject({ answer: { runId: 'run' } })
  })

  test.each<[string, unknown]>([
    ['no run', waits(undefined)],
    ['a run that is no text', waits(7)],
    ['a run that was resumed', waits('run', { resumed: true })],
    ['nothing', { type: 'data-suspended' }],
    ['data of another type', { type: 'data-other', data: { runId: 'run' } }],
  ])('with outputs is none where the message waits for %s', async (_, part) => {
    const given = [user('Pay.'), assistant(text('Well?'), part)]
    const { read, asked } = reading(given, { run: { payload: outputs } })
    await read
    expect(asked).toEqual([])
  })
})

describe('a message that ends with results that no run waits for', () => {
  const step = { type: 'step-start' }
  const ends = (...parts: unknown[]) => answer([user('Pay.'), assistant(...parts)], {})

  test.each<[string, unknown[]]>([
    ['an output', [output('c', 7)]],
    ['an error', [{ ...pay, toolCallId: 'c', state: 'output-error', errorText: 'No.' }]],
    ['of its last step', [step, { ...pay, toolCallId: 'b', state: 'input-available' }, step, output('c', 7)]],
    [
      'beside a call of the provider',
      [output('c', 7), { ...pay, toolCallId: 'b', state: 'input-available', providerExecuted: true }],
    ],
  ])('is refused: %s', async (_, parts) => {
    await expect(ends(...parts)).rejects.toMatchObject({
      code: 'RUN_INPUT_INVALID',
      message: expect.stringMatching(/results of tools that no run waits for.*new user message/),
    })
  })

  test.each<[string, unknown[]]>([
    ['no calls', [text('Well?')]],
    ['calls of the provider alone', [output('c', 7, { providerExecuted: true })]],
    ['a call without a result', [output('c', 7), { ...pay, toolCallId: 'b', state: 'input-available' }]],
    ['results of an earlier step', [output('c', 7), step, text('Well?')]],
    ['results of a run that the store does not know', [output('c', 7), waits('forgotten')]],
  ])('but not one with %s', async (_, parts) => {
    expect(await ends(...parts)).toMatchObject({ input: { messages: [{ id: 'Pay.' }] } })
  })
})

const partsOf = (read: any) => read.input.messages.map(({ content }: any) => content.parts)

describe('with a memory, without an answer', () => {
  test('only the newest user message of a chat client is used', async () => {
    const { read } = reading([
      user('One.'),
      user('Two.'),
      assistant(text('Well?')),
      { ...user(), id: 'empty' },
    ])
    expect(await read).toMatchObject({
      input: { messages: [{ id: 'Two.' }], systemMessages: [] },
      leftOut: 0,
    })
  })

  test('the last user messages of other lists are used, and the number of ignored messages is returned', async () => {
    const model = [
      { role: 'user', content: 'Zero.' },
      { role: 'assistant', content: 'Well?' },
      { role: 'user', content: 'One.' },
      { role: 'user', content: 'Two.' },
      { role: 'assistant', content: 'Well?' },
    ]
    const read = await reading(model).read
    expect(partsOf(read)).toMatchObject([[{ text: 'One.' }], [{ text: 'Two.' }]])
    expect(read).toMatchObject({ leftOut: 3 })
    expect(partsOf(await reading(model.slice(2, 4)).read)).toHaveLength(2)
  })

  test('a user can send text, files and data', async () => {
    const parts = [
      text('Hi'),
      { type: 'file', mediaType: 'text/plain', url: 'data:,Hi' },
      { type: 'data-place', data: 1 },
      { type: 'source-url', sourceId: 's', url: 'https://example.com' },
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm.' },
      { type: 'dataset', data: 1 },
    ]
    const [left] = partsOf(await reading([{ id: 'u', role: 'user', parts }]).read)
    expect(left.map(({ type }: any) => type)).toEqual(['text', 'file', 'data-place'])
  })

  test.each<[string, unknown[]]>([
    ['the assistant alone', [assistant(text('Hi'))]],
    ['nothing', []],
    ['a user who says nothing', [user()]],
    ['in another form', [{ role: 'assistant', content: 'Hi' }]],
  ])('a list without the user is refused: %s', async (_, given) => {
    await expect(reading(given).read).rejects.toMatchObject({
      code: 'RUN_INPUT_INVALID',
      message: expect.stringMatching(/no user message and no answer.*Send at least/),
    })
  })
})

describe('without a memory, without an answer', () => {
  const read = (given: unknown[], options: Partial<ClientMessagesOptions> = {}) =>
    reading(given, {}, { remembers: false, ...options }).read

  test('text of users and assistants is used, and no calls', async () => {
    const history = [
      user('Pay.'),
      assistant({ type: 'step-start' }, { type: 'reasoning', text: 'Hm.' }, output('c', 7), text('Paid.')),
      user('More.'),
    ]
    const result = await read(history)
    expect(partsOf(result)).toMatchObject([
      [{ text: 'Pay.' }],
      [{ type: 'step-start' }, { type: 'text', text: 'Paid.' }],
      [{ text: 'More.' }],
    ])
    expect(result).toMatchObject({ leftOut: 0 })
  })

  test('calls in trusted messages without an approval are calls that were not completed', async () => {
    const parts = [
      approved('run', 'a'),
      { ...pay, toolCallId: 'b', state: 'approval-requested', approval: { id: 'run:b' } },
      { ...pay, toolCallId: 'c', state: 'output-denied' },
      {
        ...pay,
        toolCallId: 'd',
        state: 'output-denied',
        approval: { id: 'x', approved: false, reason: 'no' },
      },
      output('e', 7),
      text('Done.'),
    ]
    const given = [{ ...user('s'), role: 'system' }, user('Pay.'), assistant(...parts), user('More.')]
    const result: any = await read(given, { call: { trusted: true } })
    expect(result.input.systemMessages).toMatchObject([{ role: 'system', content: 's' }])
    expect(partsOf(result)[1]).toEqual([
      { ...pay, toolCallId: 'a', state: 'input-available' },
      { ...pay, toolCallId: 'b', state: 'input-available' },
      { ...pay, toolCallId: 'c', state: 'output-denied', approval: { id: 'c', approved: false } },
      parts[3],
      output('e', 7),
      text('Done.'),
    ])
  })

  test('trusted messages in other forms are used unchanged', async () => {
    const stored = {
      id: 'a',
      role: 'assistant',
      content: { parts: [approved('run')] },
      createdAt: new Date(0),
    }
    const { read: reads, asked } = reading(
      [stored],
      { run: { payload: approval } },
      { call: { trusted: true } },
    )
    expect(partsOf(await reads)).toEqual([[approved('run')]])
    expect(asked).toEqual([])
  })

  test('a message from JSON has the time of receipt', async () => {
    const stored = { id: 'u', role: 'user', content: { parts: [text('Hi')] }, createdAt: '2001-01-01' }
    const before = Date.now()
    for (const result of [await read([stored]), { input: readUntrusted([stored]) }] as any[]) {
      expect(result.input.messages[0].createdAt).toBeInstanceOf(Date)
      expect(result.input.messages[0].createdAt.getTime()).toBeGreaterThanOrEqual(before)
    }
    const dated: any = await read([{ ...stored, createdAt: new Date(5) }])
    expect(dated.input.messages[0].createdAt).toEqual(new Date(5))
  })
})
