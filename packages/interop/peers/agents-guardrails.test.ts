import { Agent, type Processor, type ProcessorEntry, RequestContext } from '@millrace/core'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { ScriptedModel, toolCall } from '@millrace/testing'
import {
  ToolGuardrailFunctionOutputFactory as behave,
  defineToolInputGuardrail,
  defineToolOutputGuardrail,
  type InputGuardrail,
  type OutputGuardrail,
  Runner,
  Agent as TheirAgent,
  tool,
} from '@openai/agents'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  agentGuardrails,
  inputGuardrail,
  outputGuardrail,
  toolGuardrails,
  toolInputGuardrail,
  toolOutputGuardrail,
} from '../src/openai-agents/index.ts'
import { BridgedModel } from './agents-bridge.ts'

const SECRET = 'KEY-12345678'
const filter = (strategy: 'block' | 'redact' | 'halt'): RegexFilter =>
  new RegexFilter({ patterns: [/KEY-\d{8}/], strategy })
const runner = new Runner({ tracingDisabled: true })
const throws: Processor = {
  id: 'throws',
  processInput: () => {
    throw new Error('broken')
  },
  processOutputResult: () => {
    throw new Error('broken')
  },
  processToolCall: () => {
    throw new Error('broken')
  },
  processToolResult: () => {
    throw new Error('broken')
  },
}
const suspends: Processor = { id: 'waits', processInput: ({ suspend }) => suspend('Sure?') }
const hangs: Processor = { id: 'hangs', processInput: () => new Promise(() => {}) }

describe('processors as guardrails of an agent', () => {
  async function outcome(
    processors: ProcessorEntry[],
    {
      input = 'Hi',
      answer = 'Fine.',
      ...options
    }: { input?: string; answer?: string; timeout?: number } = {},
  ) {
    const model = new ScriptedModel([answer])
    const guards = agentGuardrails(processors, options)
    const agent = new TheirAgent({ name: 'Support', model: new BridgedModel(model), ...guards })
    const result = await runner.run(agent, input).catch((error: Error) => error)
    const { name } = result.constructor
    return { name, said: String((result as Error).message ?? ''), calls: model.callCount, result }
  }

  test('pass what the processors do not change', async () => {
    const { result } = await outcome(
      [filter('redact'), filter('block')].map((guard, id) => Object.assign(guard, { id: `${id}` })),
    )
    expect(result).toMatchObject({ finalOutput: 'Fine.' })
  })

  test.each(['block', 'redact', 'halt'] as const)(
    'trip on input that they would %s, before the model is called',
    async (strategy) => {
      const { name, calls, said } = await outcome([filter(strategy)], { input: `It is ${SECRET}.` })
      expect({ name, calls }).toEqual({ name: 'InputGuardrailTripwireTriggered', calls: 0 })
      expect(said).not.toContain(SECRET)
    },
  )

  test.each(['block', 'redact', 'halt'] as const)(
    'trip on an answer that they would %s',
    async (strategy) => {
      const { name, said } = await outcome([filter(strategy)], { answer: `It is ${SECRET}.` })
      expect(name).toBe('OutputGuardrailTripwireTriggered')
      expect(said).not.toContain(SECRET)
    },
  )

  test('fail the run if a processor throws, suspends or hangs', async () => {
    for (const processor of [throws, suspends, hangs]) {
      const { name, calls } = await outcome([processor], { ...(processor === hangs && { timeout: 20 }) })
      expect({ name, calls }, processor.id).toEqual({ name: 'GuardrailExecutionError', calls: 0 })
    }
    const { name } = await outcome([
      { id: 'late', processOutputResult: throws.processOutputResult } as Processor,
    ])
    expect(name).toBe('GuardrailExecutionError')
  })
})

describe('processors as guardrails of a tool', () => {
  async function outcome(processors: ProcessorEntry[], { key = 'a', output = 'found' as unknown } = {}) {
    const ran: unknown[] = []
    const lookUp = tool({
      name: 'lookUp',
      description: 'Looks up a key.',
      parameters: z.object({ key: z.string() }),
      execute: (input) => {
        ran.push(input)
        return output
      },
      ...toolGuardrails(processors),
    })
    const model = new ScriptedModel([[toolCall('lookUp', { key })], 'Done.'])
    const agent = new TheirAgent({ name: 'Support', model: new BridgedModel(model), tools: [lookUp] })
    const result = await runner.run(agent, 'Hi').catch((error: Error) => error)
    // The runner wraps what ends a tool.
    const { error = result } = result as { error?: object }
    return { name: error.constructor.name, ran, model, result, prompt: JSON.stringify(model.lastPrompt) }
  }

  test('pass what the processors do not change', async () => {
    const { ran, result, prompt } = await outcome([filter('redact')], { output: { found: ['x'] } })
    expect(ran).toEqual([{ key: 'a' }])
    expect(result).toMatchObject({ finalOutput: 'Done.' })
    expect(prompt).toContain('found')
  })

  test('trip on a call that they would block or rewrite, and the call is not executed', async () => {
    for (const strategy of ['block', 'redact', 'halt'] as const) {
      const { name, ran, model } = await outcome([filter(strategy)], { key: SECRET })
      expect(name).toBe('ToolInputGuardrailTripwireTriggered')
      expect(ran).toEqual([])
      expect(model.callCount).toBe(1)
    }
  })

  test('tell the model why a call is denied, or the replacement answer', async () => {
    for (const decision of [{ deny: 'Not today.' }, { output: 'Not today.' }]) {
      const { ran, prompt } = await outcome([{ id: 'decides', processToolCall: () => decision }])
      expect(ran).toEqual([])
      expect(prompt).toContain('Not today.')
    }
  })

  test('replace an output by what is left of it', async () => {
    for (const output of [`It is ${SECRET}.`, { nested: [`It is ${SECRET}.`] }]) {
      const { prompt, result } = await outcome([filter('redact')], { output })
      expect(prompt).toContain('It is [REDACTED].')
      expect(JSON.stringify((result as { history: unknown }).history)).not.toContain(SECRET)
    }
  })

  test('trip on a rejected output, and fail the run if they throw', async () => {
    const rejects: Processor = { id: 'rejects', processToolResult: ({ abort }) => abort('No.') }
    const blocked = await outcome([rejects])
    expect(blocked.name).toBe('ToolOutputGuardrailTripwireTriggered')
    expect(blocked.model.callCount).toBe(1)
    const broken = await outcome([throws])
    expect(broken.result).toBeInstanceOf(Error)
    expect(broken.ran).toEqual([])
  })
})

describe('guardrails of OpenAI Agents in an agent of Millrace', () => {
  const trips = (when: (given: never) => boolean): InputGuardrail & OutputGuardrail =>
    ({
      name: 'trips',
      execute: async (given: never) => ({ tripwireTriggered: when(given), outputInfo: { why: 'x' } }),
    }) as never

  const run = (
    processor: Processor,
    turns: ConstructorParameters<typeof ScriptedModel>[0] = ['Fine.'],
    input = 'Hello',
  ) => {
    const model = new ScriptedModel(turns)
    const ran: unknown[] = []
    const lookUp = {
      inputSchema: z.object({ key: z.string() }),
      execute: (given: unknown) => {
        ran.push(given)
        return 'found'
      },
    }
    const agent = new Agent({ model, processors: [processor], tools: { lookUp } })
    const context = new RequestContext({ plan: 'free' })
    return agent.generate(input, { requestContext: context }).then((result) => ({ result, model, ran }))
  }

  test('receive the input, a run context and an agent, and trip the run', async () => {
    const seen: { input: unknown; context: { context: RequestContext }; agent: TheirAgent }[] = []
    const guardrail: InputGuardrail = {
      name: 'sees',
      execute: async (given) => {
        seen.push(given as never)
        return { tripwireTriggered: given.input === 'Bad', outputInfo: { why: 'bad' } }
      },
    }
    const passed = await run(inputGuardrail(guardrail))
    expect(passed.result.text).toBe('Fine.')
    const { result, model } = await run(inputGuardrail(guardrail), ['Fine.'], 'Bad')
    expect(result).toMatchObject({
      status: 'tripwire',
      rejection: { reason: "The guardrail 'sees' was triggered.", metadata: { why: 'bad' } },
    })
    expect(model.callCount).toBe(0)
    expect(seen[0]?.input).toBe('Hello')
    expect(seen[0]?.context.context.get('plan')).toBe('free')
    expect(seen[0]?.agent).toBeInstanceOf(TheirAgent)
  })

  test('receive a conversation as items', async () => {
    const inputs: unknown[] = []
    const guardrail: InputGuardrail = {
      name: 'sees',
      execute: async ({ input }) => {
        inputs.push(input)
        return { tripwireTriggered: false, outputInfo: undefined }
      },
    }
    const agent = new Agent({ model: new ScriptedModel(['Fine.']), processors: [inputGuardrail(guardrail)] })
    const messages = [
      { role: 'user' as const, content: 'One' },
      { role: 'assistant' as const, content: 'Two' },
      { role: 'user' as const, content: 'Three' },
    ]
    await agent.generate(messages, { trusted: true })
    expect(inputs[0]).toMatchObject([
      { role: 'user', content: [{ type: 'input_text', text: 'One' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Two' }] },
      { role: 'user', content: [{ type: 'input_text', text: 'Three' }] },
    ])
  })

  test('can call their own model as in OpenAI Agents', async () => {
    const judge = new TheirAgent({
      name: 'Judge',
      model: new BridgedModel(new ScriptedModel(['{"bad":true}'])),
      outputType: z.object({ bad: z.boolean() }),
    })
    const guardrail: InputGuardrail = {
      name: 'judges',
      execute: async ({ input, context }) => {
        const { finalOutput } = await runner.run(judge, input as string, { context: context.context })
        return { tripwireTriggered: finalOutput?.bad ?? true, outputInfo: finalOutput }
      },
    }
    expect((await run(inputGuardrail(guardrail))).result.status).toBe('tripwire')
  })

  test('receive the answer and trip the run', async () => {
    const guardrail = trips(({ agentOutput }: { agentOutput: string }) => agentOutput.includes('bad'))
    expect((await run(outputGuardrail(guardrail))).result.text).toBe('Fine.')
    expect((await run(outputGuardrail(guardrail), ['so bad'])).result.status).toBe('tripwire')
  })

  test('of tools deny a call, replace an output, and trip the run', async () => {
    const turns = [[toolCall('lookUp', { key: 'a' })], 'Done.']
    const rejects = defineToolInputGuardrail({
      name: 'rejects',
      run: async ({ toolCall: { arguments: json } }) =>
        json.includes('a') ? behave.rejectContent('Not a.') : behave.allow(),
    })
    const denied = await run(toolInputGuardrail(rejects), turns)
    expect(denied.ran).toEqual([])
    expect(JSON.stringify(denied.model.lastPrompt)).toContain('Not a.')
    const replaces = defineToolOutputGuardrail({
      name: 'replaces',
      run: async ({ output }) => (output === 'found' ? behave.rejectContent('Gone.') : behave.allow()),
    })
    const replaced = await run(toolOutputGuardrail(replaces), turns)
    expect(replaced.ran).toEqual([{ key: 'a' }])
    expect(JSON.stringify(replaced.model.lastPrompt)).toContain('Gone.')
    expect(JSON.stringify(replaced.model.lastPrompt)).not.toContain('found')
    const excepts = defineToolOutputGuardrail({ name: 'excepts', run: async () => behave.throwException() })
    expect((await run(toolOutputGuardrail(excepts), turns)).result.status).toBe('tripwire')
    const others = await run(toolOutputGuardrail(excepts, { tools: ['other'] }), turns)
    expect(others.result.text).toBe('Done.')
  })

  test('that throw, or return an invalid verdict, fail the run', async () => {
    const turns = [[toolCall('lookUp', { key: 'a' })], 'Done.']
    const broken = async (): Promise<never> => {
      throw new Error('down')
    }
    for (const answer of [
      broken,
      ...[undefined, {}, { tripwireTriggered: 'no' }, true].map((given) => async () => given),
    ]) {
      const guardrail = { name: 'broken', execute: answer }
      await expect(run(inputGuardrail(guardrail))).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
      await expect(run(outputGuardrail(guardrail))).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    }
    const verdicts = [undefined, {}, { behavior: { type: 'maybe' } }, { behavior: { type: 'rejectContent' } }]
    for (const answer of [broken, ...verdicts.map((given) => async () => given)]) {
      const guardrail = { name: 'broken', run: answer }
      await expect(run(toolInputGuardrail(guardrail), turns)).rejects.toMatchObject({
        code: 'PROCESSOR_FAILED',
      })
      await expect(run(toolOutputGuardrail(guardrail), turns)).rejects.toMatchObject({
        code: 'PROCESSOR_FAILED',
      })
    }
    expect(() => inputGuardrail({} as never)).toThrow(/execute/)
    expect(() => toolInputGuardrail({} as never)).toThrow(/run/)
  })
})
