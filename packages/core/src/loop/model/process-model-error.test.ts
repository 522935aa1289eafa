import { apiError, collect, fail, refuse, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import { ProcessorPipeline } from '../../composition/processor-pipeline.ts'
import { MillraceError } from '../../errors.ts'
import { userMessage } from '../../messages/input.ts'
import type { ProcessModelErrorArgs } from '../../processors/model-hooks.ts'
import type { Processor } from '../../processors/processor.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

const down = () => refuse(new Error('down'))

function rescuer(processModelError: NonNullable<Processor['processModelError']>): Processor {
  return { id: 'rescuer', processModelError }
}

function agentOf(model: ScriptedModel, processors: Processor[], options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ model, processors, modelSettings: { maxRetries: 0 }, ...options })
}

test('receives the error after all retries of the provider, with its cause, the request and the attempt', async () => {
  const seen: ProcessModelErrorArgs[] = []
  const busy = () => refuse(apiError({ status: 429, retryAfterMs: 0 }))
  const model = new ScriptedModel([busy(), busy(), busy()])
  const agent = agentOf(
    model,
    [
      rescuer((args) => {
        seen.push(args)
      }),
    ],
    { modelSettings: { maxRetries: 2 } },
  )
  const error = await agent.generate('Hi').catch((error) => error)
  expect(model.callCount).toBe(3)
  expect(seen).toHaveLength(1)
  expect(seen[0]?.error).toBe(error)
  expect(seen[0]).toMatchObject({ attempt: 1, stepNumber: 0, error: { code: 'MODEL_CALL_FAILED' } })
  expect(seen[0]?.request.prompt).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }])
})

test('makes the call again with a changed request, and discards what was emitted', async () => {
  const model = new ScriptedModel([[text('Partial secret '), fail(new Error('broke off'))], 'Whole.'])
  const agent = agentOf(model, [
    rescuer(({ request }) => ({
      retry: true,
      request: { prompt: [...request.prompt, { role: 'system', content: 'Briefly.' }] },
    })),
  ])
  const stream = agent.stream('Hi')
  const chunks = await collect(stream.fullStream)
  const result = await stream.result
  expect(result).toHaveText('Whole.')
  expect(textOf(chunks)).toBe('Whole.')
  expect(result).toLeakNothingOf('Partial')
  expect(chunks).toContainEqual({ type: 'step-discarded', stepNumber: 0, retry: true })
  expect(model.lastPrompt.at(-1)).toEqual({ role: 'system', content: 'Briefly.' })
  expect(result.steps).toMatchObject([{ stepNumber: 0, discarded: [{ processorId: undefined }] }])
  expect(result.processors).toMatchObject([{ hook: 'processModelError', action: 'retried' }])
})

test('repeats the call of a step at most twice', async () => {
  const attempts: number[] = []
  const model = new ScriptedModel([down()], { repeat: 'last' })
  const agent = agentOf(model, [
    rescuer(({ attempt }) => {
      attempts.push(attempt)
      return { retry: true }
    }),
  ])
  await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'MODEL_CALL_FAILED' })
  expect(attempts).toEqual([1, 2])
  expect(model.callCount).toBe(3)
})

test('counts for every step separately, and over the attempts at one step together', async () => {
  const attempts: string[] = []
  const model = new ScriptedModel([down(), 'Bad.', down(), toolCall('look'), down(), 'Done.', down(), 'x'])
  const agent = agentOf(
    model,
    [
      rescuer(({ attempt, stepNumber }) => {
        attempts.push(`${stepNumber}: ${attempt}`)
        return { retry: true }
      }),
      {
        id: 'judge',
        processOutputStep: ({ text, abort }) => (text === 'Bad.' ? abort('no', { retry: true }) : undefined),
      },
    ],
    { tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) } },
  )
  expect(await agent.generate('Hi')).toHaveText('Done.')
  expect(attempts).toEqual(['0: 1', '0: 2', '1: 1'])
})

test('is called for each processor in order, until one requests a retry', async () => {
  const asked: string[] = []
  const model = new ScriptedModel([down(), 'Done.'])
  const one = (id: string, retries: boolean): Processor => ({
    id,
    processModelError: () => {
      asked.push(id)
      return retries ? { retry: true } : undefined
    },
  })
  await agentOf(model, [one('a', false), one('b', true), one('c', true)]).generate('Hi')
  expect(asked).toEqual(['a', 'b'])
})

test("is not called for errors that are not the model's", async () => {
  const seen: unknown[] = []
  const agent = agentOf(new ScriptedModel(['x']), [
    rescuer(({ error }) => {
      seen.push(error)
    }),
    {
      id: 'broken',
      processOutputStep: () => {
        throw new Error('x')
      },
    },
  ])
  await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  expect(seen).toEqual([])
})

describe('after a part of the answer', () => {
  const broken = () => new ScriptedModel([[text('Partial secret '), fail(new Error('broke off'))], 'Whole.'])

  test('abort discards the part', async () => {
    const stream = agentOf(broken(), [rescuer(({ abort }) => abort('no more'))]).stream('Hi')
    const chunks = await collect(stream.fullStream)
    const result = await stream.result
    expect(result).toHaveTripped({ processorId: 'rescuer', hook: 'processModelError' })
    expect(result).toLeakNothingOf('Partial')
    expect(textOf(chunks)).toBe('')
    expect(chunks.slice(-2)).toMatchObject([{ type: 'step-discarded', retry: false }, { type: 'tripwire' }])
  })

  test('halt discards the part and answers', async () => {
    const stream = agentOf(broken(), [rescuer(({ halt }) => halt('Try later.'))]).stream('Hi')
    const chunks = await collect(stream.fullStream)
    const result = await stream.result
    expect(result).toHaveStatus('halted')
    expect(result).toLeakNothingOf('Partial')
    expect(textOf(chunks)).toBe('Try later.')
  })

  test('suspend waits, and the resumed run discards the part and calls again', async () => {
    const storage = new InMemoryRunStore()
    const model = broken()
    const processors = [
      rescuer(({ resumeData, suspend }) => (resumeData ? { retry: true } : suspend('Shall I try again?'))),
    ]
    const suspended = await agentOf(model, processors, { storage }).generate('Hi')
    expect(suspended).toHaveStatus('suspended')

    const resumed = agentOf(model, processors, { storage }).resume(suspended.suspension?.runId ?? '', 'yes')
    const chunks = await collect(resumed.fullStream)
    expect(await resumed.result).toHaveText('Whole.')
    expect(await resumed.messages).toLeakNothingOf('Partial')
    expect(model.lastPrompt).toLeakNothingOf('Partial')
    expect(chunks).toContainEqual({ type: 'step-discarded', stepNumber: 0, retry: true })
  })
})

test('a retry that suspends in a later hook keeps what processInputStep made of the step', async () => {
  const storage = new InMemoryRunStore()
  const model = new ScriptedModel([down(), 'Done.'])
  const processors: Processor[] = [
    {
      id: 'guide',
      processInputStep: ({ systemMessages }) => ({
        systemMessages: [...systemMessages, { role: 'system', content: 'Be careful.' }],
      }),
    },
    rescuer(() => ({ retry: true })),
    {
      id: 'asker',
      wrapModelCall: ({ request, next, state, resumeData, suspend }) => {
        state.calls = Number(state.calls ?? 0) + 1
        if (state.calls === 2 && !resumeData) suspend('Second call?')
        return next(request)
      },
    },
  ]
  const suspended = await agentOf(model, processors, { storage }).generate('Hi')
  expect(suspended).toHaveStatus('suspended')
  const result = await agentOf(model, processors, { storage }).resume(
    suspended.suspension?.runId ?? '',
    'yes',
  )
  expect(result).toHaveText('Done.')
  expect(model.lastPrompt[0]).toEqual({ role: 'system', content: 'Be careful.' })
})

test('a retry with another prompt cannot be suspended in a later hook: the prompt is not stored', async () => {
  const model = new ScriptedModel([down(), 'Done.'])
  const agent = agentOf(model, [
    rescuer(({ request }) => ({ retry: true, request: { prompt: request.prompt.slice(-1) } })),
    {
      id: 'asker',
      wrapModelCall: ({ request, next, state, suspend }) => {
        state.calls = Number(state.calls ?? 0) + 1
        return state.calls === 2 ? suspend('Second call?') : next(request)
      },
    },
  ])
  const error = await agent.generate('Hi').catch((error) => error)
  expect(error).toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
  expect(error.message).toContain("'rescuer'")
})

test('prepares the step again, by all processors, if the error requires another prompt', async () => {
  const model = new ScriptedModel([down(), 'Fine.'])
  const prepared: string[] = []
  const trims: Processor = {
    id: 'trims',
    processModelError({ state }) {
      state.isShort = true
      return { retry: true, prepare: true }
    },
    processInputStep({ messages, state }) {
      prepared.push('trims')
      return state.isShort ? messages.slice(-1) : undefined
    },
  }
  const guard: Processor = {
    id: 'guard',
    processInputStep({ messages }) {
      prepared.push(`guard sees ${messages.length}`)
    },
  }
  const result = await agentOf(model, [trims, guard]).generate([userMessage('Before'), userMessage('Now')])
  expect(result).toHaveText('Fine.')
  expect(prepared).toEqual(['trims', 'guard sees 2', 'trims', 'guard sees 1'])
  expect(model.lastPrompt).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Now' }] }])
  expect(result.steps).toMatchObject([{ stepNumber: 0, discarded: [{ processorId: undefined }] }])
})

test('may request a changed request or a newly prepared one, not both', async () => {
  const both = rescuer(() => ({ retry: true, prepare: true, request: {} }) as never)
  await expect(agentOf(new ScriptedModel([down()]), [both]).generate('Hi')).rejects.toMatchObject({
    code: 'PROCESSOR_RESULT_INVALID',
    message: expect.stringContaining("'request', 'prepare'"),
  })
})

test('prepares a step again in a pipeline too', async () => {
  const pipeline = new ProcessorPipeline([
    {
      id: 'trims',
      processModelError({ state }) {
        state.isShort = true
        return { retry: true, prepare: true }
      },
      processInputStep: ({ messages, state }) => (state.isShort ? messages.slice(-1) : undefined),
    },
  ])
  await pipeline.processInput([userMessage('Before'), userMessage('Now')])
  const { model, tools, modelSettings } = await pipeline.processInputStep()
  const request = { model, tools, modelSettings, prompt: [], toolChoice: undefined }
  const retried = await pipeline.processModelError(new MillraceError('MODEL_CALL_FAILED', 'too long'), {
    ...request,
    providerOptions: undefined,
    structuredOutput: undefined,
  })
  expect(retried?.prompt).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Now' }] }])
})
