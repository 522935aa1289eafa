import { ScriptedModel } from '@millrace/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parallel } from '../composition/parallel.ts'
import { when } from '../composition/when.ts'
import { whileModelRuns } from '../composition/while-model-runs.ts'
import { MillraceError } from '../errors.ts'
import { HOOK_NAMES } from '../hook-name.ts'
import type { Processor, WarmUpArgs } from '../processors/processor.ts'
import { RequestContext } from '../request-context.ts'
import type { ToolSet } from '../tools/tool.ts'
import { Agent } from './agent.ts'

const model = new ScriptedModel(['Hi.'], { repeat: 'last' })

/** Notes its id and the model it is warmed up for. */
class Loading implements Processor {
  readonly id: string
  readonly warmedUp: WarmUpArgs[] = []
  constructor(id: string) {
    this.id = id
  }
  processInput(): void {}
  async warmUp(args: WarmUpArgs): Promise<void> {
    this.warmedUp.push(args)
  }
}

describe('agent.warmUp()', () => {
  test('warms up every processor once, in any list or composition, with the model of the agent', async () => {
    const ids = ['list', 'placed', 'input', 'parallel', 'condition', 'check', 'memory']
    const [list, placed, input, beside, condition, check, memory] = ids.map((id) => new Loading(id)) as [
      Loading,
      Loading,
      Loading,
      Loading,
      Loading,
      Loading,
      Loading,
    ]
    const agent = new Agent({
      model,
      processors: [list, { processor: placed, after: 'list' }, { id: 'plain', processInput: () => {} }],
      inputProcessors: [
        input,
        parallel(beside, { id: 'other', processInput: () => {} }),
        when(() => false, condition),
        whileModelRuns(check),
      ],
      memory: { getInputProcessors: () => [memory] },
    })
    await agent.warmUp()
    for (const { id, warmedUp } of [list, placed, input, beside, condition, check, memory]) {
      expect([id, warmedUp]).toEqual([id, [{ model }]])
    }
  })

  test('warms up the agents that are its tools, also if they are tools of each other', async () => {
    const [inner, outer] = [new Loading('inner'), new Loading('outer')]
    const tools: ToolSet = {}
    const researcher = new Agent({ model, processors: [inner], tools })
    const agent = new Agent({ model, processors: [outer], tools: { research: researcher.asTool() } })
    tools.manage = agent.asTool()
    await agent.warmUp()
    expect(inner.warmedUp).toHaveLength(1)
    expect(outer.warmedUp.length).toBeGreaterThan(0)
  })

  test('a composition of processors without warmUp has no warmUp either', () => {
    const plain = { id: 'plain', processInput: () => {} }
    expect(parallel(plain)).not.toHaveProperty('warmUp')
    expect(when(() => true, plain)).not.toHaveProperty('warmUp')
  })

  test('rejects with the id of a processor that cannot load, after all others are warmed up', async () => {
    const cause = new Error('no such file')
    const broken: Processor = {
      id: 'broken',
      processInput: () => {},
      onError: 'skip',
      warmUp: () => Promise.reject(cause),
    }
    const last = new Loading('last')
    const agent = new Agent({ model, processors: [parallel(broken, new Loading('beside')), last] })
    const error = await agent.warmUp().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MillraceError)
    expect(error).toMatchObject({ code: 'PROCESSOR_FAILED', cause })
    expect((error as Error).message).toContain("The processor 'broken' failed in warmUp()")
    expect(last.warmedUp).toHaveLength(1)
  })

  test('also rejects if a processor throws synchronously, and keeps the message of a MillraceError', async () => {
    const agent = new Agent({
      model,
      processors: [
        {
          id: 'detector',
          processInput: () => {},
          warmUp() {
            throw new MillraceError('CONFIG_INVALID', 'It needs the package x. Run: npm install x')
          },
        },
      ],
    })
    await expect(agent.warmUp()).rejects.toThrow(
      "The processor 'detector' failed in warmUp(). It needs the package x. Run: npm install x",
    )
  })

  test('succeeds if it is called again after a failure, or concurrently', async () => {
    let attempts = 0
    const agent = new Agent({
      model,
      processors: [
        {
          id: 'late',
          processInput: () => {},
          async warmUp() {
            if (attempts++ === 0) throw new Error('not yet')
          },
        },
      ],
    })
    await expect(agent.warmUp()).rejects.toThrow("'late'")
    await Promise.all([agent.warmUp(), agent.warmUp()])
    expect((await agent.generate('Hello')).text).toBe('Hi.')
  })

  test('calls no hook, model, listener or tool, and does not change later runs', async () => {
    const called: string[] = []
    const hooks = Object.fromEntries(
      HOOK_NAMES.filter((hook) => hook !== 'wrapModelCall').map((hook) => [
        hook,
        (args: { part?: unknown }) => {
          called.push(hook)
          return hook === 'processOutputStream' ? args.part : undefined
        },
      ]),
    )
    const asked = new ScriptedModel(['Hi.'])
    const agent = new Agent({
      model: asked,
      processors: [{ id: 'all', ...hooks }],
      tools: { note: { inputSchema: { '~standard': schema }, execute: () => called.push('tool') } as never },
      toolApproval: () => {
        called.push('approval')
        return 'approved' as never
      },
    })
    agent.on('run-start', () => called.push('run-start'))
    await agent.warmUp()
    expect(called).toEqual([])
    expect(asked.calls).toHaveLength(0)
    expect(agent.getLastMessages()).toEqual([])
    expect((await agent.generate('Hello')).text).toBe('Hi.')
    expect(called).toContain('processInput')
  })

  test('calls a function that returns processors only with the options of a request', async () => {
    const own = new Loading('own')
    const of = new Loading('of the call')
    const plans: unknown[] = []
    const agent = new Agent({
      model,
      processors: (requestContext) => {
        plans.push(requestContext.get('plan'))
        return [own]
      },
    })
    await agent.warmUp()
    expect(plans).toEqual([])
    await agent.warmUp({ requestContext: new RequestContext({ plan: 'free' }), processors: [of] })
    expect(plans).toEqual(['free'])
    expect([own.warmedUp.length, of.warmedUp.length]).toEqual([1, 1])
  })

  test('resolves the model, and rejects if that fails', async () => {
    await expect(new Agent({ model: {} as never }).warmUp()).rejects.toMatchObject({
      code: 'MODEL_UNRESOLVED',
    })
  })
})

describe('with OpenTelemetry', () => {
  const registry = Symbol.for('opentelemetry.js.api.1')
  const started: string[] = []
  beforeEach(() => {
    const tracer = { startSpan: (name: string) => started.push(name) }
    Object.assign(globalThis, { [registry]: { trace: { getTracer: () => tracer } } })
  })
  afterEach(() => {
    delete (globalThis as { [registry]?: unknown })[registry]
  })

  test('records no span', async () => {
    await new Agent({ model, processors: [new Loading('one')], tools: {} }).warmUp()
    expect(started).toEqual([])
  })
})

const schema = {
  version: 1,
  vendor: 'test',
  validate: (value: unknown) => ({ value }),
  jsonSchema: { input: () => ({ type: 'object' }) },
}
