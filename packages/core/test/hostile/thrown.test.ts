import {
  type AgentOptions,
  HOOK_NAMES,
  type HookName,
  isToolPart,
  type Message,
  type Processor,
  tool,
} from '@millrace/core'
import { collect, fail, ScriptedModel, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../src/agent/agent.ts'
import { messageOf } from '../../src/errors.ts'

const boom = (): never => {
  throw new Error('A trap.')
}
const TRAPS = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((trap) => [trap, boom]))

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function withGetters(): Error {
  const error = new Error('Down.')
  for (const key of ['message', 'name', 'stack', 'cause', 'code', 'reason', 'then'])
    Object.defineProperty(error, key, { get: boom })
  return error
}

function ownCause(): Error {
  const error = new Error('Down.')
  error.cause = error
  return error
}

const signal = Symbol.for('millrace.signal')
const error = Symbol.for('millrace.error')

/** What can be thrown. */
const HOSTILE: [string, () => unknown][] = [
  ['a proxy whose traps throw', () => new Proxy({}, TRAPS)],
  ['a proxy of an error whose traps throw', () => new Proxy(new Error('Down.'), TRAPS)],
  ['a revoked proxy', revoked],
  ['a proxy that has every property', () => new Proxy({}, { get: () => true })],
  ['a proxy that has every property as text', () => new Proxy({}, { get: () => 'x', has: () => true })],
  ['a proxy of a function', () => new Proxy(() => {}, TRAPS)],
  ['an error with getters that throw', withGetters],
  ['an object whose toString throws', () => ({ toString: boom, [Symbol.toPrimitive]: boom })],
  ['an object without a prototype', () => Object.create(null)],
  ['a frozen error', () => Object.freeze(new Error('Down.'))],
  ['an error that is its own cause', ownCause],
  ['undefined', () => undefined],
  ['null', () => null],
  ['an empty text', () => ''],
  ['a number', () => 0],
  ['a symbol', () => Symbol('down')],
  ['a big integer', () => 1n],
  ['a thenable', () => Object.defineProperty({}, 'then', { value: boom })],
  [
    'a signal that cannot be read',
    () =>
      new Proxy(
        { [signal]: 'tripwire' },
        { get: (_, key) => (key === signal ? 'tripwire' : boom()), ownKeys: boom },
      ),
  ],
  ['an unknown signal', () => ({ [signal]: 'other' })],
  [
    'a suspension whose payload throws',
    () => Object.defineProperty({ [signal]: 'suspend' }, 'payload', { get: boom }),
  ],
  [
    'an error of ours that cannot be read',
    () => new Proxy({ [error]: true }, { get: (_, key) => (key === error ? true : boom()) }),
  ],
  ['an error of ours without a code', () => ({ [error]: true })],
]

/** Fails in one hook only, at once or after a wait. */
function throwing(hook: HookName, make: () => unknown, waits: boolean): Processor {
  const fault = () => {
    throw make()
  }
  return { id: 'hostile', [hook]: waits ? async () => fault() : fault } as Processor
}

function scene(hostile: Processor | undefined, options: Partial<AgentOptions> = {}) {
  const stored: (readonly Message[])[] = []
  const keeper: Processor = {
    id: 'keeper',
    keepsIncomplete: true,
    processOutputResult: ({ messages }) => void stored.push(messages),
  }
  const agent = new Agent({
    model: new ScriptedModel([['Look. ', toolCall('look')], 'Done.']),
    tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
    processors: [...(hostile ? [hostile] : []), keeper],
    ...options,
  })
  return { agent, stored }
}

function hasOnlyCalls(messages: readonly Message[]): boolean {
  return messages.every(({ content }) =>
    content.parts.every((part) => isToolPart(part) || part.type === 'step-start'),
  )
}

describe.each(HOSTILE)('%s, thrown', (_, make) => {
  test.each(HOOK_NAMES.filter((hook) => hook !== 'processModelError'))(
    'by %s, is a fault of the processor, and of the answer only executed calls are stored',
    async (hook) => {
      for (const waits of [false, true]) {
        const { agent, stored } = scene(throwing(hook, make, waits))
        const failure = await agent.generate('Hi').catch((thrown: unknown) => thrown)
        expect(failure).toMatchObject({ code: 'PROCESSOR_FAILED' })
        if (hook !== 'processDelivery') expect(stored.every(hasOnlyCalls)).toBe(true)
        const stream = scene(throwing(hook, make, waits)).agent.stream('Hi')
        const chunks = await collect(stream.fullStream)
        const streamed = await stream.result.catch((thrown: unknown) => thrown)
        expect(streamed).toMatchObject({ code: 'PROCESSOR_FAILED' })
        if (hook !== 'processDelivery')
          expect(chunks.at(-1)).toMatchObject({ type: 'error', error: { code: 'PROCESSOR_FAILED' } })
      }
    },
  )

  test('by processModelError, is a fault of the processor', async () => {
    const model = new ScriptedModel([fail(new Error('Down.'))])
    const { agent, stored } = scene(throwing('processModelError', make, false), { model })
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    expect(stored).toEqual([])
  })

  test('by a processor that is skipped, is a warning that can be read, copied and sent', async () => {
    for (const hook of [
      'processInput',
      'processOutputStream',
      'processOutputStep',
      'processOutputResult',
    ] as const) {
      const { agent, stored } = scene({ ...throwing(hook, make, false), onError: 'skip' })
      const events: unknown[] = []
      agent.on('run-finish', (event) => events.push(event))
      const result = await agent.generate('Hi')
      await agent.close()
      expect(result.status).toBe('completed')
      expect(result.warnings.length).toBeGreaterThan(0)
      expect(events).toHaveLength(1)
      expect(stored).toHaveLength(1)
      structuredClone(result.warnings.map((warning) => 'error' in warning && messageOf(warning.error)))
    }
  })

  test('by a tool, is its error', async () => {
    const tools = {
      look: tool({
        inputSchema: z.object({}),
        execute: () => {
          throw make()
        },
      }),
    }
    const result = await scene(undefined, { tools }).agent.generate('Hi')
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error' }])
    expect(result.text).toBe('Done.')
  })

  test('by an option, a model or background work, is an error of ours', async () => {
    const fault = () => {
      throw make()
    }
    const cases: [Partial<AgentOptions>, string][] = [
      [{ toolApproval: fault }, 'TOOL_APPROVAL_FAILED'],
      [{ stopWhen: [fault] }, 'RUN_STOP_CONDITION_FAILED'],
      [{ prepareStep: fault }, 'PROCESSOR_FAILED'],
      [{ model: new ScriptedModel([fail(make() as Error)]) }, 'MODEL_CALL_FAILED'],
      [{ model: new ScriptedModel([['Hi', fail(make() as Error)]]) }, 'MODEL_STREAM_FAILED'],
    ]
    for (const [options, code] of cases) {
      const failure = await scene(undefined, options)
        .agent.generate('Hi')
        .catch((thrown: unknown) => thrown)
      expect(failure).toMatchObject({ code })
    }
    const failures: unknown[] = []
    const waiting: Processor = {
      id: 'waiting',
      processInput: ({ waitUntil }) => waitUntil(Promise.resolve().then(fault)),
    }
    const { agent } = scene(waiting)
    agent.on('background-error', (event) => failures.push(event))
    await agent.generate('Hi')
    await agent.close()
    expect(failures).toHaveLength(1)
  })
})
