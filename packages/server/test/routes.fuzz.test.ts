import { ScriptedModel } from '@millrace/testing'
import { MockEmbeddingModelV4 } from 'ai/test'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { request, scene, userMessage } from './scene.ts'

interface Operation {
  parameters?: { name: string; in: string }[]
  requestBody?: object
}

/** A value for a path, query or body: valid, almost valid, or arbitrary. */
const value = fc.oneof(
  fc.constantFrom(
    'support',
    'small',
    'thread-1',
    '1',
    '-1',
    '1e9',
    '../threads',
    '%00',
    '__proto__',
    'constructor',
    '',
  ),
  fc.string(),
)

const body = fc.oneof(
  fc.constant({ id: 'thread-1', messages: [userMessage('Hi')] }),
  fc.constant({ model: 'support', messages: [{ role: 'user', content: 'Hi' }] }),
  fc.constant({ model: 'support', input: 'Hi' }),
  fc.record(
    {
      model: fc.constantFrom('support', 'small', 'vectors', '__proto__'),
      input: fc.oneof(
        fc.anything(),
        fc.array(
          fc.record(
            {
              type: fc.constantFrom('message', 'function_call', 'function_call_output', 'reasoning', 'x'),
              role: fc.constantFrom('user', 'assistant', 'system', 'tool'),
              content: fc.oneof(
                fc.anything(),
                fc.array(
                  fc.record({
                    type: fc.constantFrom('input_text', 'output_text', 'input_image', 'input_file'),
                    text: fc.anything(),
                    image_url: fc.anything(),
                  }),
                ),
              ),
              call_id: fc.constantFrom('1', '__proto__'),
              name: fc.constantFrom('add', '__proto__'),
              arguments: fc.oneof(fc.constant('{}'), fc.string()),
              output: fc.anything(),
            },
            { requiredKeys: [] },
          ),
        ),
      ),
      instructions: fc.anything(),
      tools: fc.anything(),
      tool_choice: fc.anything(),
      text: fc.anything(),
      dimensions: fc.anything(),
      stream: fc.boolean(),
    },
    { requiredKeys: ['model', 'input'] },
  ),
  fc.record(
    {
      id: fc.anything(),
      messages: fc.array(
        fc.oneof(
          fc.anything(),
          fc.record({
            id: fc.string(),
            role: fc.constantFrom('user', 'assistant', 'tool', 'system'),
            parts: fc.array(fc.anything()),
            content: fc.anything(),
          }),
        ),
      ),
      model: fc.constantFrom('support', 'small', '__proto__'),
      data: fc.jsonValue(),
      title: fc.anything(),
      newThreadId: fc.anything(),
      stream: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
  fc.string(),
)

test('no path, query or body causes a server fault', async () => {
  const errors: unknown[] = []
  const model = new ScriptedModel(() => 'Hello')
  const vectors = new MockEmbeddingModelV4({
    doEmbed: async ({ values }) => ({ embeddings: values.map(() => [1]), warnings: [] }),
  })
  const { handler } = scene(
    { model },
    { proxy: { small: model }, embeddings: { vectors }, onError: (error) => errors.push(error) },
  )
  const document = (await (await handler(request('/openapi.json'))).json()) as {
    paths: Record<string, Record<string, Operation>>
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  expect(operations.length).toBeGreaterThan(10)
  const property = fc.asyncProperty(
    fc.constantFrom(...operations),
    fc.array(value, { minLength: 6, maxLength: 6 }),
    body,
    async ({ path, method, operation }, values, content) => {
      const taken = [...values]
      const next = (): string => encodeURIComponent((taken.pop() ?? 'x').toWellFormed())
      const query = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }) => `${name}=${next()}`)
        .join('&')
      const address = `${path.replaceAll(/\{\w+\}/g, () => next() || 'x')}?${query}`
      const response = await handler(
        request(address, { method: method.toUpperCase(), ...(operation.requestBody && { body: content }) }),
      )
      const text = await response.text()
      expect(errors, `${method} ${address}: ${text}`).toEqual([])
      expect(response.status).toBeLessThan(500)
    },
  )
  await fc.assert(property, { numRuns: process.env.MILLRACE_THOROUGH === '1' ? 20_000 : 500 })
})
