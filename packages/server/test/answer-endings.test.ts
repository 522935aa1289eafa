import { Agent, type Processor } from '@millrace/core'
import { guardModel } from '@millrace/interop/ai-sdk'
import { createHandler } from '@millrace/server'
import {
  apiError,
  cut,
  errorPart,
  fail,
  finish,
  raw,
  ScriptedModel,
  type ScriptPart,
  text,
  tokens,
  toolCall,
} from '@millrace/testing'
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { proxied } from './openai-scene.ts'

const WAYS = ['plain', 'guarded', 'agent'] as const

/** How an answer ends for a client: its finish reason, or the code of its error. */
async function endOf(
  script: readonly (string | ScriptPart)[],
  way: string,
  stream: boolean,
): Promise<unknown> {
  const model = new ScriptedModel([[...script]])
  const handler = createHandler({
    agents: { agent: new Agent({ model, modelSettings: { maxRetries: 0 } }) },
    proxy: { plain: model, guarded: guardModel(model, []) },
    authenticate: () => ({ resourceId: 'ada' }),
    onError: () => {},
  })
  const body = { model: way, stream, messages: [{ role: 'user', content: 'Hello' }] }
  const response = await handler(
    new Request('https://models.example.com/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
  const seen = await response.text()
  const events = stream && response.ok ? seen.split('\n\n').flatMap(dataOf) : [JSON.parse(seen)]
  if (stream && response.ok) {
    expect(seen.includes('[DONE]'), seen).toBe(!seen.includes('"error"'))
  }
  const last = events.findLast((event) => event.error || event.choices?.[0]?.finish_reason)
  return last?.error ? { code: last.error.code } : last?.choices[0].finish_reason
}

function dataOf(frame: string): { error?: { code: string }; choices?: { finish_reason: string }[] }[] {
  return frame.startsWith('data: {') ? [JSON.parse(frame.slice('data: '.length))] : []
}

/** As models of older specifications end a stream that was cut. */
const UNKNOWN = {
  type: 'finish',
  usage: tokens(),
  finishReason: { unified: 'other', raw: undefined },
} as const

const interrupted = { code: 'provider_interrupted' }

describe('the end of an answer', () => {
  test.each<[string, readonly (string | ScriptPart)[], unknown]>([
    ['is stop if the model has finished', ['Whole.', finish({ reason: 'stop' })], 'stop'],
    ['is length if the model has reached its limit', ['Half an', finish({ reason: 'length' })], 'length'],
    [
      'is content_filter if the provider has filtered it',
      ['Half an', finish({ reason: 'content-filter' })],
      'content_filter',
    ],
    ['is an error if the provider has failed', ['Half an', finish({ reason: 'error' })], interrupted],
    ['is an error if the connection was lost', ['Half an', finish({ reason: 'interrupted' })], interrupted],
  ])('%s', async (_, script, expected) => {
    for (const way of WAYS) {
      for (const stream of [false, true])
        expect(await endOf(script, way, stream), `${way} ${stream}`).toEqual(expected)
    }
  })

  test.each<[string, readonly (string | ScriptPart)[], unknown]>([
    ['is cut', ['Half an', cut()], interrupted],
    ['is cut before a word', [cut()], interrupted],
    ['is cut in reasoning and text', [text(['Half', ' an']), cut()], interrupted],
    ['breaks', ['Half an', fail()], interrupted],
    ['says no reason', ['Half an', raw(UNKNOWN)], interrupted],
    ['has a plain error event', ['Half an', errorPart('boom sk-proj-0123456789')], interrupted],
    ['has an error event of a provider', ['Half an', errorPart(apiError({ status: 429 }))], { code: null }],
  ])('is never stop if the stream of a model %s', async (_, script, expected) => {
    for (const way of ['plain', 'guarded'] as const)
      expect(await endOf(script, way, true), way).toEqual(expected)
  })

  test('finishes with length, not tool_calls, if a call was cut by the limit', async () => {
    const script = [toolCall('add', { a: 1 }), finish({ reason: 'length' })]
    for (const way of ['plain', 'guarded'] as const) {
      for (const stream of [false, true]) expect(await endOf(script, way, stream), way).toBe('length')
    }
  })

  test('ends a cut response with an error, after which nothing comes', async () => {
    const { baseURL } = await proxied(new ScriptedModel([['Half an', cut()]]))
    const response = await fetch(`${baseURL}/responses`, {
      method: 'POST',
      headers: { authorization: 'Bearer key-of-ada', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', stream: true, input: 'Hello' }),
    })
    const types = [...(await response.text()).matchAll(/^event: (.+)$/gm)].map(([, type]) => type)
    expect(types.at(-1)).toBe('error')
    expect(types).not.toContain('response.completed')
  })
})

describe('a request of system messages alone', () => {
  test('answers system messages alone, whole and streamed, with and without guards', async () => {
    const guard = { id: 'guard', processInput: () => undefined }
    for (const wrap of [
      (model: ScriptedModel) => model,
      (model: ScriptedModel) => guardModel(model, [guard]),
    ]) {
      const model = new ScriptedModel(['Hi.'], { repeat: 'last' })
      const { client } = await proxied(wrap(model))
      const messages = [
        { role: 'system' as const, content: 'Say hi.' },
        { role: 'developer' as const, content: 'Briefly.' },
      ]
      const whole = await client.chat.completions.create({ model: 'small', messages })
      expect(whole.choices[0]?.message.content).toBe('Hi.')
      const stream = await client.chat.completions.create({ model: 'small', messages, stream: true })
      let streamed = ''
      for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? ''
      expect(streamed).toBe('Hi.')
      const response = await client.responses.create({ model: 'small', input: messages })
      expect(response.output_text).toBe('Hi.')
      for (const { prompt } of model.calls) {
        expect(prompt).toMatchObject([
          { role: 'system', content: 'Say hi.' },
          { role: 'system', content: 'Briefly.' },
        ])
      }
    }
  })
})

test('an answer that a processor gives in place of the model ends with stop', async () => {
  const processors: Processor[] = [
    { id: 'early', processInput: ({ halt }) => halt('Closed today.') },
    { id: 'late', processOutputStep: ({ halt }) => halt('Closed today.') },
  ]
  for (const processor of processors) {
    const model = new ScriptedModel(['Hi'], { repeat: 'last' })
    const { client } = await proxied(guardModel(model, [processor], { emit: 'step' }))
    const messages = [{ role: 'user' as const, content: 'Hello' }]
    const whole = await client.chat.completions.create({ model: 'small', messages })
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Closed today.' } })
    const stream = await client.chat.completions.create({ model: 'small', messages, stream: true })
    const chunks: OpenAI.ChatCompletionChunk[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Closed today.')
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
  }
})
