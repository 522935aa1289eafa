import { Agent, type Processor, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import {
  apiError,
  collect,
  cut,
  errorPart,
  fail,
  finish,
  hang,
  rateLimited,
  refuse,
  ScriptedModel,
  text,
  textOf,
  toolCall,
} from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { ModelFallback, type ModelFallbackOptions } from './model-fallback.ts'

expect.extend(matchers)
afterEach(() => {
  vi.useRealTimers()
})

type Scripted = ConstructorParameters<typeof ScriptedModel>[0]
const scripted = (modelId: string, script: Scripted) => new ScriptedModel(script, { modelId })
const down = refuse(apiError({ status: 500, isRetryable: false }))
const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }

function build(scripts: readonly Scripted[], options: Partial<ModelFallbackOptions> = {}) {
  const [first, ...models] = scripts.map((script, index) => scripted(`model-${index}`, script))
  const fallbacks: string[] = []
  const onFallback: ModelFallbackOptions['onFallback'] = ({ reason, from, to }) =>
    fallbacks.push(`${from} ${reason} ${to}`)
  const processor = new ModelFallback({ models, onFallback, ...options })
  const model = first as ScriptedModel
  const agent = new Agent({ model, tools, modelSettings: { maxRetries: 0 }, processors: [processor] })
  return { agent, models: [model, ...models], fallbacks }
}

async function stream(agent: Agent) {
  const run = agent.stream('Go')
  const chunks = await collect(run.fullStream)
  return { chunks, result: await run.result }
}

test('does nothing if the model answers', async () => {
  const { agent, models, fallbacks } = build([[toolCall('look', {}), 'First'], ['Second']])
  expect(await agent.generate('Go')).toHaveText('First')
  expect(models[1]?.callCount).toBe(0)
  expect(fallbacks).toEqual([])
})

test.each<[string, Scripted]>([
  ['refuses the call', [down]],
  ['breaks off before the first content', [fail(new Error('reset'))]],
  ['sends an error in place of an answer', [errorPart({ message: 'overloaded' })]],
])('calls the next model if one %s, and emits nothing of the failure', async (_, script) => {
  const { agent, fallbacks } = build([script, [down], ['Third']])
  const { chunks, result } = await stream(agent)
  expect(result).toHaveText('Third')
  expect(chunks.filter(({ type }) => type === 'step-discarded')).toEqual([])
  expect(result.steps[0]?.request.modelId).toBe('model-2')
  expect(fallbacks).toEqual(['model-0 error model-1', 'model-1 error model-2'])
})

test('falls back after the retries of the provider', async () => {
  vi.useFakeTimers()
  const { models, fallbacks } = build([[rateLimited(), rateLimited()], ['Second']])
  const agent = new Agent({
    model: models[0] as ScriptedModel,
    modelSettings: { maxRetries: 1 },
    processors: [new ModelFallback({ models: models.slice(1) })],
  })
  const result = agent.generate('Go')
  await vi.runAllTimersAsync()
  expect(await result).toHaveText('Second')
  expect(models[0]?.callCount).toBe(2)
  expect(fallbacks).toEqual([])
})

test('discards what was emitted before another model answers', async () => {
  const { agent, fallbacks } = build([[[text(['Bad ', 'half']), fail(new Error('reset'))]], ['Good']])
  const { chunks, result } = await stream(agent)
  expect(chunks.filter(({ type }) => type === 'step-discarded')).toHaveLength(1)
  expect(textOf(chunks)).toBe('Good')
  expect(result).toHaveText('Good')
  expect(result.messages).toLeakNothingOf('half')
  expect(fallbacks).toEqual(['model-0 error model-1'])
})

test('keeps calls and results paired if a model fails after a call', async () => {
  const { agent, models } = build([
    [
      [toolCall('look', {}), cut()],
      [toolCall('look', {}), fail(new Error('reset'))],
    ],
    [toolCall('look', {}), 'Answer'],
  ])
  const { result } = await stream(agent)
  for (const model of models) for (const { prompt } of model.calls) expect(prompt).toPairEveryToolCall()
  expect(result.messages).toPairEveryToolCall()
})

test('fails with the last error if all models fail', async () => {
  const { agent, models } = build([[down], [refuse(apiError({ status: 401 }))]])
  await expect(agent.generate('Go')).rejects.toThrow('model-1')
  expect(models.map(({ callCount }) => callCount)).toEqual([1, 1])
})

test('falls back from a filtered response, unless no model is left', async () => {
  const filtered = finish({ reason: 'content-filter' })
  const silent = build([[[filtered]], ['Second']])
  expect(await silent.agent.generate('Go')).toHaveText('Second')
  expect(silent.fallbacks).toEqual(['model-0 refusal model-1'])

  const late = build([[['Half an', filtered]], ['Second']])
  const { chunks, result } = await stream(late.agent)
  expect(result).toHaveText('Second')
  expect(textOf(chunks)).toBe('Second')

  const last = build([[[filtered]], [['Sorry', filtered]]])
  expect(await last.agent.generate('Go')).toMatchObject({ text: 'Sorry', finishReason: 'content-filter' })
})

test('detects a refusal by the beginning of the text, before any of it is emitted', async () => {
  const isRefusal = (begin: string) => begin.startsWith('I’m sorry')
  const words = { isRefusal, refusalWindow: 20 }
  const refusing = build(
    [[text('I’m sorry, but I cannot help with that. '.repeat(4), { chunkSize: 1 })], ['Second']],
    words,
  )
  const { chunks, result } = await stream(refusing.agent)
  expect(result).toHaveText('Second')
  expect(chunks).toLeakNothingOf('sorry')
  expect(refusing.fallbacks).toEqual(['model-0 refusal model-1'])

  for (const answer of ['No.', 'A longer answer than the window is.']) {
    for (const chunkSize of [1, 3, 100]) {
      const { agent, models } = build([[text(answer, { chunkSize })], ['Second']], words)
      expect(await agent.generate('Go')).toHaveText(answer)
      expect(models[1]?.callCount).toBe(0)
    }
  }
  const calling = build([[['Short. ', toolCall('look', {})], 'Answer'], ['Second']], words)
  expect((await calling.agent.generate('Go')).steps[0]?.text).toBe('Short. ')
})

test('waits for the first content until the timeout', async () => {
  vi.useFakeTimers()
  for (const pause of [hang(), hang({ ignoreAbort: true })]) {
    const { agent, models, fallbacks } = build([[pause], ['Second']], { firstChunkTimeout: 500 })
    const result = agent.generate('Go')
    await vi.advanceTimersByTimeAsync(499)
    expect(models[1]?.callCount).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(await result).toHaveText('Second')
    expect(fallbacks).toEqual(['model-0 timeout model-1'])
  }
  expect(vi.getTimerCount()).toBe(0)
})

test('waits between chunks until the timeout, and discards what was emitted', async () => {
  vi.useFakeTimers()
  const { agent, models, fallbacks } = build([[['Half ', hang()]], ['Second']], { chunkTimeout: 500 })
  const run = stream(agent)
  await vi.advanceTimersByTimeAsync(500)
  const { chunks, result } = await run
  expect(result).toHaveText('Second')
  expect(textOf(chunks)).toBe('Second')
  expect(await models[0]?.lastStream.settled).toBe('aborted')
  expect(fallbacks).toEqual(['model-0 timeout model-1'])
})

test('does not count the time of a slow reader', async () => {
  vi.useFakeTimers()
  const { agent } = build([[text(['a', 'b', 'c'])], ['Second']], {
    chunkTimeout: 500,
    firstChunkTimeout: 500,
  })
  const chunks: { type: string }[] = []
  const run = agent.stream('Go')
  for await (const chunk of run.fullStream) {
    chunks.push(chunk)
    await vi.advanceTimersByTimeAsync(5_000)
  }
  expect(await run.result).toHaveText('abc')
})

test('reads no faster than its reader, and cancels the model when its reader leaves', async () => {
  const { agent, models } = build([[text('word '.repeat(1_000))], ['Second']], { chunkTimeout: 60_000 })
  const run = agent.stream('Go')
  for await (const chunk of run.fullStream) if (chunk.type === 'text-delta') break
  expect(await models[0]?.lastStream.settled).toMatch(/cancelled|aborted/)
  expect(models[0]?.lastStream.chunksPulled).toBeLessThan(20)
})

test('continues with the fallback model, or begins each step with the first', async () => {
  const script = [down, down, 'never'] as const
  const stays = build([[...script], [toolCall('look', {}), 'Answer']])
  await stays.agent.generate('Go')
  expect(stays.models.map(({ callCount }) => callCount)).toEqual([1, 2])

  const returns = build([[down, 'Answer'], [toolCall('look', {})]], { until: 'step' })
  expect(await returns.agent.generate('Go')).toHaveText('Answer')
  expect(returns.models.map(({ callCount }) => callCount)).toEqual([2, 1])
})

test('falls back only from the failures that fallBackOn accepts', async () => {
  const { agent, models } = build([[down], ['Second']], { fallBackOn: ({ reason }) => reason === 'timeout' })
  await expect(agent.generate('Go')).rejects.toMatchObject({ code: 'MODEL_CALL_FAILED' })
  expect(models[1]?.callCount).toBe(0)
})

test('does not treat a decision of another processor as a failure of the model', async () => {
  const stops: Processor = {
    id: 'stops',
    wrapModelCall: ({ abort }) => abort('Enough.'),
  }
  const model = new ScriptedModel(['First'])
  const other = new ScriptedModel(['Second'])
  const agent = new Agent({ model, processors: [new ModelFallback({ models: [other] }), stops] })
  expect(await agent.generate('Go')).toHaveTripped({ processorId: 'stops' })
  expect(other.callCount).toBe(0)
})

test('ends when the run is aborted', async () => {
  const { agent, models } = build([[hang()], ['Second']])
  const controller = new AbortController()
  const result = agent.generate('Go', { abortSignal: controller.signal })
  await expect.poll(() => models[0]?.callCount).toBe(1)
  controller.abort()
  expect(await result).toHaveStatus('aborted')
  expect(models[1]?.callCount).toBe(0)
})

test('remembers the fallback model in a suspended run', async () => {
  const asks: Processor = {
    id: 'asks',
    processToolCall: ({ suspend, resumeData }) => (resumeData === undefined ? suspend() : undefined),
  }
  const first = scripted('first', [down])
  const second = scripted('second', [toolCall('look', {}), 'Answer'])
  const storage = new InMemoryRunStore()
  const agent = () =>
    new Agent({ model: first, tools, storage, processors: [new ModelFallback({ models: [second] }), asks] })
  const { suspension } = await agent().generate('Go')
  expect(await agent().resume(suspension?.runId ?? '', 'on')).toHaveText('Answer')
  expect(first.callCount).toBe(1)
})

test('keeps concurrent runs apart', async () => {
  const first = scripted('first', (_, index) => (index % 2 === 0 ? 'First' : down))
  const second = scripted('second', () => 'Second')
  const agent = new Agent({ model: first, processors: [new ModelFallback({ models: [second] })] })
  const results = await Promise.all(Array.from({ length: 6 }, () => agent.generate('Go')))
  expect(results.filter(({ text }) => text === 'First')).toHaveLength(3)
  expect(results.filter(({ text }) => text === 'Second')).toHaveLength(3)
})

test('rejects an empty list of models', () => {
  expect(() => new ModelFallback({ models: [] })).toThrow('ModelFallback has no models to fall back on.')
  expect(() => new ModelFallback({ models: ['a/b'], chunkTimeout: -1 })).toThrow('chunkTimeout is -1.')
})
