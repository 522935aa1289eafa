import { ScriptedModel } from '@millrace/testing'
import { jsonSchema, Output } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from './agent/agent.ts'

const plain = { type: 'object', properties: { city: { type: 'string' } } } as const

test.for([
  ['plain JSON Schema as the input of a tool', { tools: { look: { inputSchema: plain as never } } }, {}],
  ['plain JSON Schema as the output', {}, { output: plain as never }],
  ["the AI SDK's Output.object()", {}, { output: Output.object({ schema: z.object({}) }) as never }],
] as const)('%s is refused, with what to do', async ([, agentOptions, options]) => {
  const model = new ScriptedModel(['{}'])
  const outcome = new Agent({ model, ...agentOptions }).generate('Hi', options)
  await expect(outcome).rejects.toMatchObject({
    code: 'CONFIG_SCHEMA_INVALID',
    message: expect.stringContaining('jsonSchema()'),
  })
  expect(model.callCount).toBe(0)
})

test('a schema that could not be loaded is loaded again for the next run', async () => {
  let attempts = 0
  const schema = jsonSchema(plain)
  Object.defineProperty(schema, 'jsonSchema', {
    get: () => (attempts++ === 0 ? Promise.reject(new Error('Not yet.')) : Promise.resolve(plain)),
  })
  const agent = new Agent({ model: new ScriptedModel(['{}']), tools: { look: { inputSchema: schema } } })
  await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'RUN_FAILED' })
  expect(await agent.generate('Hi')).toMatchObject({ status: 'completed' })
})
