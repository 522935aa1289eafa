import { describe, expect, it } from 'vitest'
import { matchers } from '../matchers.ts'

expect.extend(matchers)

describe('toPairEveryToolCall', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'Hello' }] }
  const calls = (...ids: string[]) => ({
    role: 'assistant',
    content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'weather', input: {} })),
  })
  const results = (...ids: string[]) => ({
    role: 'tool',
    content: ids.map((toolCallId) => ({ type: 'tool-result', toolCallId, toolName: 'weather', output: {} })),
  })
  const searched = {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 's', toolName: 'search', input: {}, providerExecuted: true },
      { type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: {} },
    ],
  }
  const part = (toolCallId: string, state: string, rest: object = {}) => ({
    role: 'assistant',
    content: {
      parts: [
        { type: 'text', text: 'Hm' },
        { type: 'tool-weather', toolCallId, state, ...rest },
      ],
    },
  })

  it('passes when results follow their calls in order', () => {
    expect([{ role: 'system', content: 'Be brief.' }, user]).toPairEveryToolCall()
    expect([user, calls('a', 'b'), results('a', 'b'), calls('c'), results('c'), user]).toPairEveryToolCall()
    expect([calls('a', 'b'), results('a'), results('b')]).toPairEveryToolCall()
    expect([searched, results('a'), { ...results('s'), role: 'assistant' }]).toPairEveryToolCall()
  })

  it.each<[string, unknown]>([
    [
      'weather (b) has no result before the next message, of role user',
      [calls('a', 'b'), results('a'), user],
    ],
    ['weather (a) has no result', [user, calls('a')]],
    ['weather (a) has a second result', [calls('a'), results('a', 'a')]],
    ['weather (x) has a result without a call', [user, results('x')]],
    ['weather (a) is called twice with this id', [calls('a'), results('a'), calls('a'), results('a')]],
    [
      'the result of weather (b) comes before that of weather (a), which was called first',
      [calls('a', 'b'), results('b', 'a')],
    ],
    ['search (s) has no result', [searched, results('a')]],
    ["weather (a) has no result: its state is 'input-available'", [part('a', 'input-available')]],
    [
      "weather (a) has no result: its state is 'output-available'",
      [part('a', 'output-available', { preliminary: true })],
    ],
    ['weather (a) is called twice with this id', [part('a', 'output-available'), part('a', 'output-error')]],
  ])('reports that %s', (problem, messages) => {
    expect(() => expect(messages).toPairEveryToolCall()).toThrow(
      `expected every tool call to have exactly one result, but\n  ${problem}`,
    )
  })

  it('reads messages with UI message parts', () => {
    const dynamic = {
      role: 'assistant',
      parts: [{ type: 'dynamic-tool', toolName: 'x', toolCallId: 'd', state: 'output-denied' }],
    }
    expect([part('a', 'output-available'), part('b', 'output-error'), dynamic]).toPairEveryToolCall()
    expect([part('a', 'input-streaming')]).not.toPairEveryToolCall()
  })

  it('fails with .not if every call has a result', () => {
    expect(() => expect([user]).not.toPairEveryToolCall()).toThrow(
      'expected some tool call to lack its result',
    )
    expect(() => expect({ messages: [] }).toPairEveryToolCall()).toThrow(
      'expected a list of messages, but received',
    )
  })
})
