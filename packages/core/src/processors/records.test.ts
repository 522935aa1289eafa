import { ScriptedModel, source, text, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import { parallel } from '../composition/parallel.ts'
import { ProcessorPipeline } from '../composition/processor-pipeline.ts'
import { when } from '../composition/when.ts'
import type { HookName } from '../hook-name.ts'
import { userMessage } from '../messages/input.ts'
import type { ProcessorChangeEvent, ProcessorEvent } from '../results/agent-events.ts'
import type { Chunk } from '../results/chunk.ts'
import { tool } from '../tools/tool.ts'
import type { Processor } from './processor.ts'

const pay = tool({
  inputSchema: z.object({ to: z.string() }),
  execute: ({ to }) => ({ receipt: { to, amount: 20 } }),
})

async function actionsOf(processor: Processor | readonly Processor[], turns: any[] = turnsWithCall()) {
  const processors = Array.isArray(processor) ? processor : [processor]
  const agent = new Agent({
    model: new ScriptedModel(turns),
    processors,
    tools: { pay },
    instructions: 'Be brief.',
  })
  const events: ProcessorEvent[] = []
  agent.on('processor', (event) => void events.push(event))
  const result = await agent.generate('Hello, I am Ada.')
  await agent.close()
  const actions = result.processors.map(({ processorId, hook, action }) => `${processorId} ${hook} ${action}`)
  // Events say the same, where there is something to say.
  const told = events.map(({ processorId, hook, action }) => `${processorId} ${hook} ${action}`)
  expect([...told].sort()).toEqual(actions.filter((each) => !each.endsWith('passed')).sort())
  return { actions: [...new Set(actions)], result }
}

function turnsWithCall() {
  return [[text('Let me see. '), toolCall('pay', { to: 'Ada' })], 'Done, Ada.']
}

/** Emits each delta of text when the next chunk comes. */
function delaysDeltas(edit: (held: Chunk) => void = () => {}): Processor {
  return {
    id: 'delays',
    processOutputStream({ part, state }) {
      const held = state.held as Chunk | undefined
      state.held = part.type === 'text-delta' ? part : undefined
      if (held) edit(held)
      if (part.type === 'text-delta') return held ?? []
      return held ? [held, part] : part
    },
  }
}

/** Collects the deltas that reach it. */
function collects(id: string, deltas: Chunk[]): Processor {
  return {
    id,
    processOutputStream({ part }) {
      if (part.type === 'text-delta') deltas.push(part)
      return part
    },
  }
}

/** Holds all text of a part back until it ends, and emits it in pieces of another size. */
function holds(change: (text: string) => string, size = 3): Processor {
  return {
    id: 'holds',
    processOutputStream({ part, state }) {
      if (part.type === 'text-delta') {
        state.held = ((state.held as string | undefined) ?? '') + part.textDelta
        return []
      }
      if (part.type !== 'text-end') return part
      const held = change((state.held as string | undefined) ?? '')
      state.held = ''
      const pieces: Chunk[] = []
      for (let at = 0; at < held.length; at += size)
        pieces.push({ type: 'text-delta', id: part.id, textDelta: held.slice(at, at + size) })
      return [...pieces, part]
    },
  }
}

describe('a stream hook', () => {
  test('that holds text back and emits it unchanged has passed it', async () => {
    expect((await actionsOf(holds((held) => held))).actions).toEqual(['holds processOutputStream passed'])
  })

  test('that emits each delta when the next one comes has passed it', async () => {
    const before: Chunk[] = []
    const after: Chunk[] = []
    const processors = [collects('before', before), delaysDeltas(), collects('after', after)]
    const { actions, result } = await actionsOf(processors, ['One two three four.'])
    expect(actions.filter((action) => !action.endsWith('passed'))).toEqual([])
    expect(result.text).toBe('One two three four.')
    expect(before.length).toBeGreaterThan(2)
    expect(after).toEqual(before)
  })

  test.each([
    ['its text', { textDelta: 'TWO' }],
    ['what its provider says', { providerMetadata: { acme: { cited: true } } }],
  ])('that edits %s of a delta it holds has changed it', async (_, edit) => {
    const { actions, result } = await actionsOf(
      delaysDeltas((held) => Object.assign(held, edit)),
      ['One two three.'],
    )
    const isText = 'textDelta' in edit
    expect(actions).toEqual([`delays processOutputStream ${isText ? 'changed' : 'passed'}`])
    expect(result.text === 'One two three.').toBe(!isText)
  })

  test.each([
    ['alters a character', (held: string) => held.replace('D', 'd')],
    ['drops one', (held: string) => held.slice(0, -1)],
    ['adds one', (held: string) => `${held}!`],
    ['changes their order', (held: string) => [...held].reverse().join('')],
  ])('that %s has changed it', async (_, change) => {
    expect((await actionsOf(holds(change), ['Done.'])).actions).toEqual(['holds processOutputStream changed'])
  })

  test.each<[string, Processor['processOutputStream'], string]>([
    ['lets all pass', ({ part }) => part, 'passed'],
    ['copies every chunk', ({ part }) => ({ ...part }), 'passed'],
    [
      'edits text in place',
      ({ part }) => {
        if (part.type === 'text-delta') part.textDelta = part.textDelta.toUpperCase()
        return part
      },
      'changed',
    ],
    [
      'edits a call in place',
      ({ part }) => {
        if (part.type === 'tool-call') (part.input as { to: string }).to = 'Bob'
        return part
      },
      'changed',
    ],
    [
      'edits an edge in place',
      ({ part }) => {
        if (part.type === 'text-start') part.providerMetadata = { a: { b: 1 } }
        return part
      },
      'changed',
    ],
    ['drops a chunk', ({ part }) => (part.type === 'source' ? null : part), 'changed'],
    [
      'adds a chunk',
      ({ part }) => (part.type === 'text-end' ? [part, { type: 'data-x', data: 1 }] : part),
      'changed',
    ],
    [
      'returns nothing for what cannot be dropped',
      ({ part }) => (part.type === 'text-end' ? null : part),
      'passed',
    ],
    [
      'splits text',
      ({ part }) =>
        part.type === 'text-delta' ? [...part.textDelta].map((textDelta) => ({ ...part, textDelta })) : part,
      'passed',
    ],
    ['answers later', async ({ part }) => part, 'passed'],
    [
      'edits later',
      async ({ part }) => {
        await null
        if (part.type === 'text-delta') part.textDelta = 'x'
        return part
      },
      'changed',
    ],
  ])('that %s', async (_, processOutputStream, action) => {
    const turns = [
      [text('One. '), source({ url: 'https://example.com' }), toolCall('pay', { to: 'Ada' })],
      'Two.',
    ]
    for (const wrap of [(one: Processor) => one, (one: Processor) => when(() => true, one)]) {
      const { actions } = await actionsOf(wrap({ id: 'one', processOutputStream } as Processor), turns)
      expect(actions).toContain(`one processOutputStream ${action}`)
    }
    const beside = await actionsOf(parallel({ id: 'one', processOutputStream } as Processor), turns)
    expect(beside.actions).toEqual(
      expect.arrayContaining([
        `parallel(one) processOutputStream ${action}`,
        `one processOutputStream ${action}`,
      ]),
    )
  })

  test('that holds everything until the response is complete has passed it', async () => {
    const processor: Processor = {
      id: 'holds',
      processOutputStream({ part, state }) {
        if (part.type === 'step-start') state.held = []
        const held = state.held as Chunk[]
        if (part.type === 'response-end') return [...held.splice(0), part]
        if (!/^(text|reasoning)-|^source$|^tool-(call|input)/.test(part.type)) return part
        held.push(part)
        return []
      },
    }
    const turns = [
      [text('One. '), source({ url: 'https://example.com' }), toolCall('pay', { to: 'Ada' })],
      'Two.',
    ]
    expect((await actionsOf(processor, turns)).actions).toEqual(['holds processOutputStream passed'])
  })

  test('is recorded by its output, however it splits and holds', async () => {
    const answer = 'Ada, ada@example.com.\nBye!'
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(8), { minLength: 1, maxLength: 12 }),
        fc.option(fc.nat(answer.length - 1), { nil: undefined }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        async (releases, altered, sizes) => {
          let turn = 0
          const processor: Processor = {
            id: 'p',
            processOutputStream({ part, state }) {
              state.held ??= ''
              if (part.type === 'text-delta') {
                state.held += part.textDelta
                const count = releases[turn++ % releases.length] as number
                const out = (state.held as string).slice(0, count)
                state.held = (state.held as string).slice(count)
                return [{ ...part, textDelta: change(out, state) }]
              }
              if (part.type !== 'text-end') return part
              const out: Chunk = {
                type: 'text-delta',
                id: part.id,
                textDelta: change(state.held as string, state),
              }
              state.held = ''
              return [out, part]
            },
          }
          const change = (out: string, state: Record<string, unknown>): string => {
            const start = (state.count as number | undefined) ?? 0
            state.count = start + out.length
            if (altered === undefined || altered < start || altered >= start + out.length) return out
            return `${out.slice(0, altered - start)}_${out.slice(altered - start + 1)}`
          }
          const pieces: string[] = []
          for (let at = 0, index = 0; at < answer.length; index++) {
            const size = sizes[index % sizes.length] as number
            pieces.push(answer.slice(at, at + size))
            at += size
          }
          const { actions, result } = await actionsOf(processor, [[text(pieces)]])
          expect(result.text === answer).toBe(altered === undefined)
          expect(actions).toEqual([`p processOutputStream ${altered === undefined ? 'passed' : 'changed'}`])
        },
      ),
    )
  })

  test('that returns a list gets each element read once: another one later is not emitted', async () => {
    const processor: Processor = {
      id: 'p',
      processOutputStream({ part, state }) {
        if (part.type !== 'text-delta') return part
        state.held ??= []
        const held = state.held as Chunk[]
        held.push(part)
        if (held.length < 2) return []
        const list = held.splice(0)
        let reads = 0
        const [first] = list
        return Object.defineProperty(list, 0, {
          get: () => (reads++ === 0 ? first : { type: 'text-delta', id: 'other', textDelta: 42 }),
        })
      },
    }
    const after: Chunk[] = []
    const { result } = await actionsOf([processor, collects('after', after)], [[text(['One ', 'two.'])]])
    expect(result.text).toBe('One two.')
    expect(after).toMatchObject([{ textDelta: 'One ' }, { textDelta: 'two.' }])
  })

  test('that holds deltas and returns them later is recorded by what it returns', async () => {
    type Fault = 'edits' | 'swaps' | 'drops' | 'copies'
    const fault = fc.option(
      fc.record({ kind: fc.constantFrom<Fault>('edits', 'swaps', 'drops', 'copies'), at: fc.nat(30) }),
      {
        nil: undefined,
      },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(4), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 4, max: 30 }),
        fault,
        async (releases, count, fault) => {
          let turn = 0
          let isFaulty = false
          const words = Array.from({ length: count }, (_, index) => `${index} `)
          const processor: Processor = {
            id: 'p',
            processOutputStream({ part, state }) {
              state.held ??= []
              const held = state.held as Extract<Chunk, { type: 'text-delta' }>[]
              if (part.type === 'text-end') return [...held.splice(0), part]
              if (part.type !== 'text-delta') return part
              held.push(part)
              const out = held.splice(0, releases[turn % releases.length])
              const [first, second] = out
              if (fault && !isFaulty && turn >= fault.at && first && second) {
                isFaulty = true
                if (fault.kind === 'edits') first.textDelta = '_ '
                if (fault.kind === 'swaps') out.splice(0, 2, second, first)
                if (fault.kind === 'drops') out.shift()
                if (fault.kind === 'copies') out[0] = { ...first }
              }
              turn++
              return out.length === 1 ? out[0] : out
            },
          }
          const before: Chunk[] = []
          const after: Chunk[] = []
          const processors = [collects('before', before), processor, collects('after', after)]
          const { actions, result } = await actionsOf(processors, [[text(words)]])
          const isSame = !isFaulty || fault?.kind === 'copies'
          expect(result.text === words.join('')).toBe(isSame)
          if (isSame) expect(after.filter(({ type }) => type === 'text-delta')).toHaveLength(count)
          expect(actions).toContain(`p processOutputStream ${isSame ? 'passed' : 'changed'}`)
        },
      ),
    )
  })
})

describe('a hook', () => {
  const upper = (part: { type: string; text?: string }) => {
    if (part.text !== undefined) part.text = part.text.toUpperCase()
  }
  test.each<[string, HookName, (args: any) => unknown, string]>([
    [
      'adds a message and returns nothing',
      'processInput',
      ({ messageList }) => void messageList.add(userMessage('Recalled.'), 'context'),
      'changed',
    ],
    [
      'edits a part in place',
      'processInput',
      ({ messages }) => void messages[0].content.parts.forEach(upper),
      'changed',
    ],
    ['returns an equal copy', 'processInput', ({ messages }) => structuredClone(messages), 'passed'],
    ['returns the same list', 'processInput', ({ messageList }) => messageList, 'passed'],
    ['reads all of it', 'processInput', ({ messages }) => void JSON.stringify(messages), 'passed'],
    [
      'returns equal system messages',
      'processInput',
      ({ systemMessages }) => ({ systemMessages: structuredClone(systemMessages) }),
      'passed',
    ],
    [
      'adds a system message',
      'processInput',
      ({ systemMessages }) => ({
        systemMessages: [...systemMessages, { role: 'system', content: 'Be kind.' }],
      }),
      'changed',
    ],
    [
      'adds metadata in place',
      'processInput',
      ({ messages }) => {
        messages[0].content.metadata = { seen: true }
      },
      'changed',
    ],
    [
      'edits a part in place',
      'processInputStep',
      ({ messages }) => void messages[0].content.parts.forEach(upper),
      'changed',
    ],
    [
      'returns the settings as they are',
      'processInputStep',
      ({ model, tools, modelSettings, toolChoice, activeTools }) => ({
        model,
        tools: { ...tools },
        modelSettings: { ...modelSettings },
        toolChoice,
        activeTools,
      }),
      'passed',
    ],
    ['returns an empty change', 'processInputStep', () => ({}), 'passed'],
    ['returns the messages', 'processInputStep', ({ messages }) => [...messages], 'passed'],
    ['returns fewer tools', 'processInputStep', () => ({ activeTools: [] }), 'changed'],
    ['returns fewer messages', 'processInputStep', ({ messages }) => messages.slice(-1), 'changed'],
    ['returns other settings', 'processInputStep', () => ({ modelSettings: { temperature: 0 } }), 'changed'],
    ['returns nothing', 'processOutputStep', () => [], 'passed'],
    [
      'returns the calls',
      'processOutputStep',
      ({ toolCalls }) => ({ toolCalls: structuredClone(toolCalls) }),
      'passed',
    ],
    [
      'edits the answer in place',
      'processOutputStep',
      ({ messages }) => void messages.at(-1).content.parts.forEach(upper),
      'changed',
    ],
    [
      'edits a call in place',
      'processOutputStep',
      ({ toolCalls }) => {
        if (toolCalls[0]) toolCalls[0].input.to = 'Bob'
      },
      'changed',
    ],
    ['lets the call go on', 'processToolCall', () => undefined, 'passed'],
    [
      'returns an equal input',
      'processToolCall',
      ({ toolCall }) => ({ input: structuredClone(toolCall.input) }),
      'passed',
    ],
    [
      'edits the input in place',
      'processToolCall',
      ({ toolCall }) => {
        toolCall.input.to = 'Bob'
      },
      'changed',
    ],
    ['returns another input', 'processToolCall', () => ({ input: { to: 'Bob' } }), 'changed'],
    ['denies', 'processToolCall', () => ({ deny: 'No.' }), 'denied'],
    [
      'returns an equal value',
      'processExecution',
      ({ value }) => ({ value: structuredClone(value) }),
      'passed',
    ],
    [
      'edits what comes out in place',
      'processExecution',
      ({ direction, value }) => {
        if (direction === 'out') value.receipt.to = '…'
      },
      'changed',
    ],
    [
      'returns an equal output',
      'processToolResult',
      ({ output }) => ({ output: structuredClone(output) }),
      'passed',
    ],
    [
      'edits the output in place',
      'processToolResult',
      ({ output }) => {
        output.receipt.amount = 0
      },
      'changed',
    ],
    [
      'edits the output in the transcript',
      'processToolStep',
      ({ messages }) => {
        messages.at(-1).content.parts.at(-1).output.receipt.amount = 0
      },
      'changed',
    ],
    [
      'looks at the results',
      'processToolStep',
      ({ toolResults, messages }) => void JSON.stringify([toolResults, messages]),
      'passed',
    ],
    ['ends the loop', 'processToolStep', () => ({ finish: true }), 'changed'],
    ['returns equal messages', 'processOutputResult', ({ messages }) => structuredClone(messages), 'passed'],
    [
      'edits an answer in place',
      'processOutputResult',
      ({ messages }) => void messages[0].content.parts.forEach(upper),
      'changed',
    ],
    ['passes the model’s answer on', 'wrapModelCall', ({ next, request }) => next({ ...request }), 'passed'],
    [
      'passes every chunk on',
      'wrapModelCall',
      async function* ({ next, request }) {
        for await (const chunk of next(request)) yield { ...chunk }
      },
      'passed',
    ],
    [
      'alters a chunk',
      'wrapModelCall',
      async function* ({ next, request }) {
        for await (const chunk of next(request))
          yield chunk.type === 'text-delta' ? { ...chunk, textDelta: 'x' } : chunk
      },
      'changed',
    ],
    [
      'drops a chunk',
      'wrapModelCall',
      async function* ({ next, request }) {
        for await (const chunk of next(request)) if (chunk.type !== 'text-delta') yield chunk
      },
      'changed',
    ],
    [
      'holds the answer',
      'wrapModelCall',
      async function* ({ next, request }) {
        const all = []
        for await (const chunk of next(request)) all.push(chunk)
        yield* all
      },
      'passed',
    ],
    [
      'asks for something else',
      'wrapModelCall',
      ({ next, request }) => next({ ...request, modelSettings: { temperature: 0 } }),
      'changed',
    ],
    ['changes a result', 'processDelivery', ({ result }) => result && { ...result, text: '' }, 'changed'],
    ['copies a result', 'processDelivery', ({ result }) => result && { ...result }, 'passed'],
    [
      'edits a result in place',
      'processDelivery',
      ({ result }) => {
        if (result) result.text = ''
      },
      'changed',
    ],
  ])('that %s in %s', async (_, hook, method, action) => {
    for (const wrap of [(one: Processor) => one, (one: Processor) => when(() => true, one)]) {
      const processor = wrap({ id: 'one', [hook]: method } as Processor)
      const agent = new Agent({
        model: new ScriptedModel(turnsWithCall()),
        processors: hook === 'processDelivery' ? [] : [processor],
        tools: { pay },
      })
      const result = await agent.generate([userMessage('Hello, I am Ada.')])
      let found = result.processors
      if (hook === 'processDelivery') {
        const pipeline = new ProcessorPipeline([processor])
        await pipeline.processDelivery(result)
        found = pipeline.processors
      }
      const actions = found.map((record) => record.action)
      expect(actions).toContain(action)
      if (action === 'passed') expect(new Set(actions)).toEqual(new Set(['passed']))
    }
  })

  test('in a pipeline is recorded alike', async () => {
    const pipeline = new ProcessorPipeline([
      {
        id: 'adds',
        processInput: ({ messageList }) => void messageList.add(userMessage('More.'), 'context'),
      },
      { id: 'reads', processInput: ({ messages }) => void JSON.stringify(messages) },
      { id: 'copies', processInput: ({ messages }) => structuredClone(messages) },
    ])
    await pipeline.processInput('Hello')
    expect(pipeline.processors.map(({ action }) => action)).toEqual(['changed', 'passed', 'passed'])
  })

  test('next to others is recorded by its own changes', async () => {
    const adds: Processor = {
      id: 'adds',
      processInput: ({ messageList }) => void messageList.add(userMessage('More.'), 'context'),
    }
    const reads: Processor = { id: 'reads', processInput: ({ messages }) => void JSON.stringify(messages) }
    const { actions } = await actionsOf(parallel(adds, reads), ['Hi.'])
    expect(actions).toEqual([
      'parallel(adds, reads) processInput changed',
      'adds processInput changed',
      'reads processInput passed',
    ])
  })
})

describe('the changes of processors', () => {
  async function changesOf(processors: Processor[], content: boolean, turns: any[] = turnsWithCall()) {
    const agent = new Agent({ model: new ScriptedModel(turns), processors, tools: { pay } })
    const changes: ProcessorChangeEvent[] = []
    agent.on('processor-change', (event) => void changes.push(event), { content })
    const result = await agent.generate([userMessage('Hello, I am Ada.')])
    await agent.close()
    return { changes, result }
  }

  test('are emitted with before and after for listeners with content', async () => {
    const redacts: Processor = {
      id: 'redacts',
      processInput: ({ messages }) => {
        for (const { content } of messages)
          for (const part of content.parts)
            if (part.type === 'text') part.text = part.text.replace('Ada', '[NAME]')
      },
      ...pick(holds((held) => held.replace('Ada', '[NAME]'))),
      processToolCall: ({ toolCall }) => ({ input: { ...(toolCall.input as object), to: 'Bob' } }),
    }
    const { changes, result } = await changesOf([redacts], true)
    const [said] = result.messages
    expect(said).toBeDefined()
    expect(changes).toMatchObject([
      { hook: 'processInput', before: 'Hello, I am Ada.', after: 'Hello, I am [NAME].', partIndex: 0 },
      { hook: 'processToolCall', key: 'input', before: '{"to":"Ada"}', after: '{"to":"Bob"}', stepNumber: 0 },
      { hook: 'processOutputStream', before: 'Ada.', after: '[NAME].', stepNumber: 1 },
    ])
    for (const change of changes)
      expect(change).toMatchObject({ processorId: 'redacts', action: 'changed', truncated: false })
    expect(changes[1]?.toolCallId).toBeDefined()
    expect(changes[2]?.partId).toBeDefined()
  })

  test('are emitted without user content for all others', async () => {
    const { changes } = await changesOf([holds((held) => held.replace('Ada', '[NAME]'))], false)
    expect(changes).toHaveLength(1)
    expect(JSON.stringify(changes)).not.toContain('Ada')
    expect(Object.keys(changes[0] as object)).not.toContain('before')
  })

  test('include what was blocked', async () => {
    const blocks: Processor[] = [
      { id: 'input', processInput: ({ abort }) => abort('No.') },
      {
        id: 'stream',
        processOutputStream: ({ part, abort }) =>
          part.type === 'text-end'
            ? abort('No.')
            : part.type === 'text-delta' && part.textDelta.includes('see')
              ? abort('No.')
              : part,
      },
      { id: 'call', processToolCall: () => ({ deny: 'No.' }) },
      { id: 'result', processToolResult: ({ abort }) => abort('No.') },
      { id: 'answer', processOutputResult: ({ halt }) => halt('No.') },
    ]
    const shown: unknown[] = []
    for (const processor of blocks) {
      const { changes } = await changesOf([processor], true)
      const [change] = changes
      shown.push([change?.action, change?.before, change?.after])
    }
    expect(shown).toEqual([
      ['aborted', expect.stringContaining('I am Ada.'), undefined],
      ['aborted', 'Let me see. ', undefined],
      ['denied', '{"to":"Ada"}', undefined],
      ['aborted', expect.stringContaining('"to":"Ada"'), undefined],
      ['halted', 'Done, Ada.', undefined],
    ])
  })

  test('are limited in size and number, and marked as truncated', async () => {
    const long = 'x'.repeat(10_000)
    const grows: Processor = { id: 'grows', ...pick(holds((held) => `${held}${long}`, 100)) }
    const { changes } = await changesOf([grows], true, ['Hi.'])
    expect(changes).toHaveLength(1)
    expect(changes[0]).toMatchObject({ truncated: true })
    expect(changes[0]?.after?.length).toBe(4_000)

    const adds: Processor = {
      id: 'adds',
      processOutputStream: ({ part }) =>
        part.type === 'text-delta' ? [part, { type: 'data-x', data: 1 }] : part,
    }
    const many = await changesOf([adds], true, [[text(Array.from({ length: 300 }, () => 'a '))]])
    expect(many.changes).toHaveLength(101)
    expect(many.changes.at(-1)).toMatchObject({ processorId: 'adds', truncated: true })
    expect(many.changes.at(-1)?.after).toBeUndefined()
  })

  test('are not collected without listeners', async () => {
    const agent = new Agent({ model: new ScriptedModel(['Hi.']), processors: [holds((held) => `${held}!`)] })
    agent.on('processor', () => {})
    expect((await agent.generate('Hello')).processors).toMatchObject([{ action: 'changed' }])
    await agent.close()
  })
})

function pick({ processOutputStream }: Processor): Pick<Processor, 'processOutputStream'> {
  return { processOutputStream } as Pick<Processor, 'processOutputStream'>
}
