import { collect, fail, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import { HOOK_NAMES, type HookName } from '../../hook-name.ts'
import type { Processor } from '../../processors/processor.ts'
import { RequestContext } from '../../request-context.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { RunResult } from '../../results/result.ts'
import { Halt, Suspend, TripWire } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

/** What a hook may do, by the arguments it gets or by throwing. */
const SIGNALS = {
  abort: ({ abort }) => abort('why', { metadata: 7 }),
  'new TripWire': () => thrown(new TripWire('why', { metadata: 7 })),
  'abort with retry': ({ abort }) => abort('why', { retry: true, metadata: 7 }),
  'new TripWire with retry': () => thrown(new TripWire('why', { retry: true, metadata: 7 })),
  halt: ({ halt }) => halt('Halted.', { reason: 'why', metadata: 7 }),
  'new Halt': () => thrown(new Halt('Halted.', { reason: 'why', metadata: 7 })),
  suspend: ({ suspend }) => suspend({ question: 7 }),
  'new Suspend': () => thrown(new Suspend({ question: 7 })),
  '{ deny }': () => ({ deny: 'why' }),
  'an error': () => thrown(new Error('why')),
} satisfies Record<string, (args: any) => unknown>

type SignalName = keyof typeof SIGNALS

type Outcome = 'tripwire' | 'retried' | 'halted' | 'suspended' | 'denied' | 'failed'

const RETRIES: ReadonlySet<HookName> = new Set([
  'processOutputStream',
  'processOutputStep',
  'processOutputResult',
])

const NEVER_SUSPEND = new Set<HookName>(['processOutputStream', 'processExecution', 'processDelivery'])

/** The outcome of a signal in a hook, or `undefined` where it means nothing there. */
function outcomeOf(hook: HookName, signal: SignalName): Outcome | undefined {
  switch (signal) {
    case '{ deny }':
      return hook === 'processToolCall' ? 'denied' : undefined
    case 'an error':
      return 'failed'
    case 'abort':
    case 'new TripWire':
      return hook === 'processDelivery' ? 'failed' : 'tripwire'
    case 'abort with retry':
    case 'new TripWire with retry':
      if (hook === 'processDelivery') return 'failed'
      return RETRIES.has(hook) ? 'retried' : 'tripwire'
    case 'halt':
    case 'new Halt':
      return hook === 'processDelivery' ? 'failed' : 'halted'
    case 'suspend':
    case 'new Suspend':
      return NEVER_SUSPEND.has(hook) ? 'failed' : 'suspended'
    default:
      return signal satisfies never
  }
}

const cells = HOOK_NAMES.flatMap((hook) =>
  (Object.keys(SIGNALS) as SignalName[]).flatMap((signal) => {
    const outcome = outcomeOf(hook, signal)
    return outcome === undefined ? [] : [{ hook, signal, outcome }]
  }),
)

const MODES = ['generate', 'stream', 'resume'] as const

describe.each(MODES)('in %s', (mode) => {
  test.each(cells)('$signal in $hook: $outcome', async ({ hook, signal, outcome }) => {
    const { agent, executed, model } = scene(hook, signal)
    const { result, chunks, error } = await end(agent, mode)

    if (outcome === 'failed') {
      expect(result).toBeUndefined()
      expect(error).toMatchObject({ name: 'MillraceError', code: 'PROCESSOR_FAILED' })
      expect((error as Error).message).toContain("'signaller'")
      expect((error as Error).message).toContain(hook)
      expect((error as Error).cause).toMatchObject({
        name: expect.stringMatching(/^(Error|TripWire|Halt|Suspend)$/),
      })
      if (chunks) expect(chunks.filter(isEnd)).toEqual([{ type: 'error', error }])
      return
    }
    if (!result) throw error

    const info = { processorId: 'signaller', hook }
    if (chunks) expect(chunks.filter(isEnd)).toEqual([chunks.at(-1)])
    expect(executed.length).toBeLessThanOrEqual(1)
    switch (outcome) {
      case 'tripwire': {
        const rejection = { reason: 'why', ...info, metadata: 7, retryCount: 0 }
        expect(result).toMatchObject({ status: 'tripwire', tripwire: true, text: '', rejection })
        expect(chunks?.at(-1) ?? { type: 'tripwire', ...rejection }).toEqual({
          type: 'tripwire',
          ...rejection,
        })
        // The open step is gone; what was accepted before stands.
        if (hook === 'processOutputResult') expect(result.steps).toHaveLength(1)
        else expect([result, textOf(chunks ?? [])]).toLeakNothingOf('secret')
        break
      }
      case 'retried':
        expect(result).toBeCompleted()
        expect(result).toHaveText('Done.')
        expect(JSON.stringify(model.calls.map(({ prompt }) => prompt.at(-1)))).toContain('"why"')
        expect(result.steps.flatMap(({ discarded }) => discarded)).toMatchObject([
          { reason: 'why', processorId: 'signaller' },
        ])
        expect(JSON.stringify(result.messages)).not.toContain('why')
        expect(executed).toHaveLength(1)
        break
      case 'halted':
        expect(result).toMatchObject({
          status: 'halted',
          text: 'Halted.',
          halt: { reason: 'why', ...info, metadata: 7 },
        })
        expect(result.messages).toPairEveryToolCall()
        if (chunks) {
          expect(textOf(chunks).endsWith('Halted.')).toBe(true)
          expect(chunks.at(-2)).toEqual({ type: 'halt', reason: 'why', ...info, metadata: 7 })
        }
        break
      case 'suspended': {
        expect(result.suspension).toMatchObject({ payload: { question: 7 }, ...info })
        const resumed = await result.suspension?.resume('yes')
        expect(resumed).toBeCompleted()
        expect(resumed).toHaveText('Done.')
        expect(resumed?.messages).toPairEveryToolCall()
        expect(executed).toHaveLength(1)
        expect(model.callCount).toBe(hook === 'processModelError' ? 3 : 2)
        await expect(agent.resume(result.runId, 'yes')).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
        break
      }
      case 'denied':
        expect(result).toHaveText('Done.')
        expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'denied', reason: 'why' }])
        expect(executed).toHaveLength(0)
        break
      default:
        outcome satisfies never
    }
  })
})

/** A run of two steps, in which one processor gives one signal, at the first call of one hook. */
function scene(hook: HookName, signal: SignalName) {
  const executed: unknown[] = []
  const signaller = {
    id: 'signaller',
    [hook]: (args: any) => {
      const isPlace = args.part?.type === 'text-delta' || !hook.match(/processOutputStream|processDelivery/)
      if (args.resumeData !== undefined) args.state.done = true
      if (!isPlace || args.state.done) return pass(hook, args)
      // A resumed hook is called again from its top: it is told so by its data, and not by its state.
      if (!signal.toLowerCase().includes('suspend')) args.state.done = true
      return SIGNALS[signal](args)
    },
  } as unknown as Processor
  const pauser: Processor = {
    id: 'pauser',
    processInput: ({ requestContext, resumeData, suspend }) => {
      if (requestContext.get('pause') && resumeData === undefined) suspend()
    },
  }
  const model = new ScriptedModel(({ prompt }, index) => {
    if (prompt.some(({ role }) => role === 'tool')) return 'Done.'
    const draft = text('Draft secret. ')
    return hook === 'processModelError' && index === 0
      ? [draft, fail(new Error('broke off'))]
      : [draft, toolCall('look')]
  })
  const agent = new Agent({
    model,
    modelSettings: { maxRetries: 0 },
    storage: new InMemoryRunStore(),
    tools: { look: tool({ inputSchema: z.object({}), execute: (input) => executed.push(input) }) },
    processors: [pauser, signaller],
  })
  return { agent, executed, model }
}

/** What a hook returns that has nothing to say. */
function pass(hook: HookName, args: any): unknown {
  switch (hook) {
    case 'processOutputStream':
      return args.part
    case 'wrapModelCall':
      return args.next(args.request)
    case 'processModelError':
      return { retry: true }
    default:
      return undefined
  }
}

interface End {
  result?: RunResult
  chunks?: Chunk[]
  error?: unknown
}

async function end(agent: ReturnType<typeof scene>['agent'], mode: (typeof MODES)[number]): Promise<End> {
  if (mode === 'generate')
    return await agent.generate('Go').then(
      (result) => ({ result }),
      (error) => ({ error }),
    )
  let stream = agent.stream('Go')
  if (mode === 'resume') {
    const requestContext = new RequestContext({ pause: true })
    const paused = agent.stream('Go', { requestContext })
    const { runId } = await paused.result.catch(() => ({ runId: '' }))
    stream = agent.resume(runId, 'go on', { requestContext })
  }
  const chunks = await collect(stream.fullStream)
  return await stream.result.then(
    (result) => ({ result, chunks }),
    (error) => ({ error, chunks }),
  )
}

function isEnd({ type }: Chunk): boolean {
  return ['finish', 'tripwire', 'suspended', 'abort', 'error'].includes(type)
}

function thrown(error: unknown): never {
  throw error
}

// What has no outcome has no type either.
const untyped: Processor = {
  id: 'untyped',
  // @ts-expect-error there is no step to run again
  processInputStep: ({ abort }) => abort('why', { retry: true }),
  // @ts-expect-error nothing to run again before the model has answered
  wrapModelCall: ({ abort }) => abort('why', { retry: true }),
  // @ts-expect-error a failed call is made again by returning { retry: true }
  processModelError: ({ abort }) => abort('why', { retry: true }),
  // @ts-expect-error a stream cannot be interrupted and gone on with
  processOutputStream: ({ suspend }) => suspend('why'),
  // @ts-expect-error the calls of the step stand
  processToolCall: ({ abort }) => abort('why', { retry: true }),
  // @ts-expect-error tools have run
  processToolResult: ({ abort }) => abort('why', { retry: true }),
  // @ts-expect-error tools have run
  processToolStep: ({ abort }) => abort('why', { retry: true }),
  // @ts-expect-error presentation only
  processDelivery: ({ halt }) => halt('why'),
}
const denials: Processor[] = [
  // @ts-expect-error only a call can be denied
  { id: 'untyped', processToolResult: () => ({ deny: 'why' }) },
  // @ts-expect-error only a call can be denied
  { id: 'untyped', processInput: () => ({ deny: 'why' }) },
  // @ts-expect-error only a call can be denied
  { id: 'untyped', processOutputStep: () => ({ deny: 'why' }) },
]

test('invalid signals are type errors', () => {
  expect([untyped, ...denials]).toHaveLength(4)
})
