import { describe, expect, test } from 'vitest'
import { chooseModel, type Environment } from './choose-model.ts'
import { compatibleServer } from './compatible-server.fixture.ts'

describe('chooseModel', () => {
  test.each<[Environment, { provider: string; modelId: string }, RegExp]>([
    [{}, { provider: 'demo', modelId: 'embedded' }, /^embedded demo model/],
    [{ OPENAI_API_KEY: '', MODEL: 'x' }, { provider: 'demo', modelId: 'embedded' }, /^embedded demo model/],
    [{ OPENAI_API_KEY: 'k' }, { provider: 'openai.responses', modelId: 'gpt-5-mini' }, /at OpenAI$/],
    [
      { OPENAI_API_KEY: 'k', OPENAI_MODEL: 'one' },
      { provider: 'openai.responses', modelId: 'one' },
      /^one at OpenAI$/,
    ],
    [
      { ANTHROPIC_API_KEY: 'k' },
      { provider: 'anthropic.messages', modelId: 'claude-haiku-4-5' },
      /at Anthropic$/,
    ],
    [
      { ANTHROPIC_API_KEY: 'k', OPENAI_MODEL: 'one', MODEL: 'two' },
      { provider: 'anthropic.messages', modelId: 'two' },
      /^two at Anthropic$/,
    ],
    [
      { OPENAI_BASE_URL: 'http://me:pass@localhost:1/v1/', MODEL: 'one', ANTHROPIC_API_KEY: 'k' },
      { provider: 'compatible.chat', modelId: 'one' },
      /^one at http:\/\/localhost:1\/v1$/,
    ],
  ])('selects for %j the model %j', async (environment, model, label) => {
    const chosen = await chooseModel(environment)
    expect(chosen.model).toMatchObject({ specificationVersion: 'v4', ...model })
    expect(chosen.label).toMatch(label)
  })

  test('selects the first chat model that a server lists', async () => {
    await using server = await compatibleServer({ models: ['text-embedding-1', 'small-chat'] })
    const { model } = await chooseModel({ OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: 'the-key' })
    expect(model.modelId).toBe('small-chat')
    expect(server.requests[0]?.authorization).toBe('Bearer the-key')
  })

  test('throws with the remedy if no model can be found', async () => {
    await using server = await compatibleServer({ models: [] })
    await expect(chooseModel({ OPENAI_BASE_URL: server.baseURL })).rejects.toThrow('Set MODEL')
    await expect(chooseModel({ OPENAI_BASE_URL: 'localhost:11434' })).rejects.toThrow('OPENAI_BASE_URL')
  })
})
