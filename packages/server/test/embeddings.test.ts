import { createOpenAI } from '@ai-sdk/openai'
import { createHandler } from '@millrace/server'
import { ScriptedModel } from '@millrace/testing'
import { embed, embedMany } from 'ai'
import { MockEmbeddingModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { authenticate, proxied, type Served } from './openai-scene.ts'

const LENGTHS = 'length-of-text'

/** A model whose vectors contain the length of the text. It takes two texts per call. */
function embedding(): MockEmbeddingModelV4 {
  return new MockEmbeddingModelV4({
    maxEmbeddingsPerCall: 2,
    doEmbed: async ({ values }) => ({
      embeddings: values.map((value) => [value.length, 0.5]),
      usage: { tokens: values.length },
      warnings: [],
    }),
  })
}

function served(model = embedding()): Promise<Served> {
  return proxied(new ScriptedModel([]), { embeddings: { [LENGTHS]: model } })
}

test('the official client gets a vector for each text, in order, in either encoding', async () => {
  const model = embedding()
  const { client } = await served(model)
  const input = ['a', 'bb', 'ccc', 'dddd', 'eeeee']
  for (const encoding of [undefined, 'float', 'base64'] as const) {
    const { data, usage } = await client.embeddings.create({
      model: LENGTHS,
      input,
      dimensions: 2,
      ...(encoding && { encoding_format: encoding }),
    })
    const vectors = data.map(({ embedding }) =>
      typeof embedding === 'string' ? floats(embedding) : embedding,
    )
    expect(vectors).toEqual(input.map(({ length }) => [length, 0.5]))
    expect(usage).toEqual({ prompt_tokens: 5, total_tokens: 5 })
  }
  expect(model.doEmbedCalls.slice(0, 3).map(({ values }) => values.length)).toEqual([2, 2, 1])
  expect(model.doEmbedCalls[0]?.dimensions).toBe(2)
})

test('the AI SDK’s provider for OpenAI gets them too', async () => {
  const { baseURL } = await served()
  const model = createOpenAI({ baseURL, apiKey: 'key-of-ada' }).embedding(LENGTHS)
  expect((await embed({ model, value: 'abc' })).embedding).toEqual([3, 0.5])
  expect((await embedMany({ model, values: ['a', 'bb'] })).embeddings).toEqual([
    [1, 0.5],
    [2, 0.5],
  ])
})

test.each([
  ['a model that is not an embedding model', { model: 'small', input: 'a' }, 404],
  ['no text', { model: LENGTHS, input: [] }, 400],
  ['tokens', { model: LENGTHS, input: [1, 2] }, 400],
  ['too many texts', { model: LENGTHS, input: Array.from({ length: 2_049 }, () => 'a') }, 400],
])('refuses %s', async (_, body, status) => {
  const { client } = await served()
  await expect(client.embeddings.create(body)).rejects.toMatchObject({
    status,
    type: 'invalid_request_error',
  })
})

test('hides the details of a server fault', async () => {
  const { client, errors } = await served(
    new MockEmbeddingModelV4({
      doEmbed: () => Promise.reject(new Error('key sk-123')),
    }),
  )
  const error = await client.embeddings
    .create({ model: LENGTHS, input: 'a' })
    .catch((error: unknown) => error)
  expect(error).toMatchObject({ status: 500 })
  expect(`${error}${JSON.stringify(error)}`).not.toContain('sk-123')
  expect(errors).toHaveLength(1)
})

test('rejects two models with the same name', () => {
  const model = new ScriptedModel([])
  expect(() =>
    createHandler({ agents: {}, proxy: { a: model }, embeddings: { a: embedding() }, authenticate }),
  ).toThrow("'a' is the name of two agents or models")
})

function floats(base64: string): number[] {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return [...new Float32Array(bytes.buffer)]
}
