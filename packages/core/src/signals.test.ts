import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from './agent/agent.ts'
import type { Processor } from './processors/processor.ts'
import { Halt, isSignal, Suspend, TripWire } from './signals.ts'
import { InMemoryRunStore } from './storage/in-memory-run-store.ts'
import { tool } from './tools/tool.ts'

expect.extend(matchers)

const signals = [new TripWire('no'), new Halt('No.'), new Suspend('Wait.')] as const

test('are told apart, also when they come from another copy of the package', () => {
  const kinds = [TripWire, Halt, Suspend]
  for (const [index, signal] of signals.entries()) {
    expect(isSignal(signal)).toBe(true)
    expect(kinds.map((kind) => kind.isInstance(signal))).toEqual(kinds.map((_, at) => at === index))
    const foreign = Object.defineProperties(new Error('x'), Object.getOwnPropertyDescriptors(signal))
    expect(kinds.map((kind) => kind.isInstance(foreign))).toEqual(kinds.map((_, at) => at === index))
  }
  for (const other of [new Error('x'), { name: 'Halt' }, null, undefined, 'halt']) {
    expect(isSignal(other)).toBe(false)
  }
})

test('are errors with a message if they are not handled', () => {
  expect(signals.map(({ name, message }) => [name, message])).toEqual([
    ['TripWire', 'no'],
    ['Halt', 'Halted by a processor.'],
    ['Suspend', 'The run is suspended.'],
  ])
})

// A constant of a module is thrown by many runs, and perhaps at many places.
describe.each([
  ['one instance', (signal: Error) => signal],
  ['a frozen instance', (signal: Error) => Object.freeze(signal)],
])('%s thrown again and again', (_, prepare) => {
  const thrower = (id: string, hook: 'processInput' | 'processToolCall', signal: Error): Processor => ({
    id,
    [hook]: ({ resumeData }: { resumeData?: unknown }) => {
      if (resumeData === undefined) throw signal
    },
  })
  const agentOf = (...processors: Processor[]) =>
    new Agent({
      model: new ScriptedModel(({ prompt }) =>
        prompt.some(({ role }) => role === 'tool') ? 'Done.' : toolCall('look'),
      ),
      storage: new InMemoryRunStore(),
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
      processors,
    })

  test('has its origin set each time it is thrown: TripWire', async () => {
    const signal = prepare(new TripWire('no'))
    const first = await agentOf(thrower('a', 'processInput', signal)).generate('Hi')
    expect(first).toHaveTripped({ processorId: 'a', hook: 'processInput' })
    const second = await agentOf(thrower('b', 'processToolCall', signal)).generate('Hi')
    expect(second).toHaveTripped({ processorId: 'b', hook: 'processToolCall' })
  })

  test('has its origin set each time it is thrown: Halt', async () => {
    const signal = prepare(new Halt('No.'))
    await agentOf(thrower('a', 'processInput', signal)).generate('Hi')
    const second = await agentOf(thrower('b', 'processToolCall', signal)).generate('Hi')
    expect(second.halt).toMatchObject({ processorId: 'b', hook: 'processToolCall' })
  })

  test('is resumed where it was thrown: Suspend', async () => {
    const signal = prepare(new Suspend('Wait.'))
    const agent = agentOf(thrower('a', 'processInput', signal), thrower('b', 'processToolCall', signal))
    const first = await agent.generate('Hi')
    expect(first.suspension).toMatchObject({ processorId: 'a', hook: 'processInput', toolCallId: undefined })
    const second = await first.suspension?.resume('yes')
    expect(second?.suspension).toMatchObject({
      processorId: 'b',
      hook: 'processToolCall',
      toolCallId: 'call-1',
    })
    expect(await second?.suspension?.resume('yes')).toHaveText('Done.')
  })

  test('is resumed in the tool that threw it: Suspend', async () => {
    const signal = prepare(new Suspend('Wait.'))
    const seen: unknown[] = []
    const agent = new Agent({
      model: new ScriptedModel(({ prompt }) =>
        prompt.some(({ role }) => role === 'tool')
          ? 'Done.'
          : [toolCall('ask', { n: 1 }), toolCall('ask', { n: 2 })],
      ),
      storage: new InMemoryRunStore(),
      tools: {
        ask: tool({
          inputSchema: z.object({ n: z.number() }),
          execute: ({ n }, { resumeData }) => {
            if (resumeData === undefined) throw signal
            seen.push([n, resumeData])
            return 'ok'
          },
        }),
      },
    })
    const first = await agent.generate('Hi')
    const second = await first.suspension?.resume({ 'call-1': 'one' })
    expect(second?.suspension?.toolCallId).toBe('call-2')
    expect(await second?.suspension?.resume('two')).toHaveText('Done.')
    expect(seen).toEqual([
      [1, 'one'],
      [2, 'two'],
    ])
  })
})
