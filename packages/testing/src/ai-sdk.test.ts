import { generateText, isStepCount, streamText, tool } from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  collect,
  errorPart,
  file,
  gate,
  rateLimited,
  reasoning,
  ScriptedModel,
  source,
  text,
  toolCall,
  toolResult,
} from './index.ts'
import { matchers } from './matchers.ts'

expect.extend(matchers)

const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `Rain in ${city}`,
})

it('streams text', async () => {
  const { textStream, usage, finishReason } = streamText({
    model: new ScriptedModel(['Hello there']),
    prompt: 'Hi',
  })
  expect(await collect(textStream)).toEqual(['Hello ', 'there'])
  expect(await usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15 })
  expect(await finishReason).toBe('stop')
})

it('generates text, reasoning, files and sources', async () => {
  const providerMetadata = { acme: { signature: 'abc' } }
  const turn = [
    reasoning('Let me see.', { providerMetadata }),
    'Hello',
    file('text/plain', 'aGk='),
    source({ url: 'https://a.test' }),
  ]
  const model = new ScriptedModel([turn, turn])
  const generated = await generateText({ model, prompt: 'Hi' })
  expect(generated).toMatchObject({ text: 'Hello', reasoningText: 'Let me see.' })
  expect(generated.reasoning).toMatchObject([{ providerMetadata }])
  expect(generated.files).toMatchObject([{ mediaType: 'text/plain', base64: 'aGk=' }])
  expect(generated.sources).toMatchObject([{ url: 'https://a.test', id: 'source-1' }])
  const streamed = streamText({ model, prompt: 'Hi' })
  expect(await streamed.text).toBe('Hello')
  expect(await streamed.reasoningText).toBe('Let me see.')
  expect(await streamed.sources).toHaveLength(1)
})

it.each(['streamText', 'generateText'] as const)('goes through a tool loop in %s', async (method) => {
  const model = new ScriptedModel([
    [
      'Let me look.',
      toolCall('weather', { city: 'Oslo' }),
      toolCall('weather', { city: 'Rome' }, { streamInput: false }),
    ],
    text('Rain everywhere.'),
  ])
  const options = { model, tools: { weather }, stopWhen: isStepCount(3), prompt: 'Weather?' }
  const answer = method === 'streamText' ? await streamText(options).text : (await generateText(options)).text
  expect(answer).toBe('Rain everywhere.')
  expect(model.callCount).toBe(2)
  expect(model.lastPrompt).toPairEveryToolCall()
  expect(model).toHaveBeenPrompted('Rain in Oslo', { call: 1, role: 'tool' })
  expect(model).toHaveBeenPrompted('Rain in Rome', { call: 1, role: 'tool' })
})

it('returns broken tool input to the model', async () => {
  const model = new ScriptedModel([toolCall('weather', undefined, { rawInput: '{"city":' }), 'Sorry.'])
  const result = await generateText({
    model,
    tools: { weather },
    stopWhen: isStepCount(3),
    prompt: 'Weather?',
  })
  expect(result.text).toBe('Sorry.')
  expect(model.lastPrompt).toPairEveryToolCall()
})

it('emits the results that the provider executed', async () => {
  const model = new ScriptedModel([
    [
      toolCall('search', {}, { providerExecuted: true, dynamic: true }),
      toolResult('search', 'found', { dynamic: true }),
      'Done.',
    ],
  ])
  const result = await generateText({ model, prompt: 'Search' })
  expect(result.toolResults).toMatchObject([{ toolName: 'search', output: 'found' }])
  expect(model.callCount).toBe(1)
})

it('is called again after a rate limit', async () => {
  const model = new ScriptedModel([rateLimited({ retryAfterMs: 0 }), 'Hello'])
  expect((await generateText({ model, prompt: 'Hi' })).text).toBe('Hello')
  expect(model.callCount).toBe(2)
})

it('reports an error part', async () => {
  const errors: unknown[] = []
  const failure = new Error('overloaded')
  const model = new ScriptedModel([['Hel', errorPart(failure)]])
  const { fullStream } = streamText({ model, prompt: 'Hi', onError: ({ error }) => void errors.push(error) })
  const types = (await collect(fullStream)).map((part) => part.type)
  expect(types).toContain('error')
  expect(errors).toEqual([failure])
})

it('is aborted with the run', async () => {
  const door = gate()
  const controller = new AbortController()
  const model = new ScriptedModel([['Hello', door, 'never']])
  const { fullStream } = streamText({ model, prompt: 'Hi', abortSignal: controller.signal })
  const reading = collect(fullStream)
  await door.reached
  controller.abort()
  expect((await reading).map((part) => part.type)).toContain('abort')
  expect(await model.lastStream.settled).toBe('aborted')
})
