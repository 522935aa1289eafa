import { describe, expect, test } from 'vitest'
import { Agent } from '../../agent/agent.ts'
import { NO_RULES } from './provider-table.ts'
import { Rulebook } from './rulebook.ts'

describe('the rules for a model', () => {
  test.each([
    ['anthropic.messages', 'claude-sonnet-4-6', { emptyContent: 'blank', noPrefill: true }],
    [
      'vertex.anthropic.messages',
      'claude-sonnet-4-5@20250929',
      { emptyContent: 'blank', noPrefill: 'plain' },
    ],
    ['amazon-bedrock', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', { noPrefill: 'plain' }],
    ['amazon-bedrock', 'us.anthropic.claude-opus-4-6-v1', { noPrefill: true }],
    ['google.generative-ai', 'gemini-3-pro', { userFirst: true }],
    ['google.vertex.chat', 'gemini-3-pro', { foreignParts: ['google', 'googleVertex', 'vertex'] }],
    ['gateway', 'anthropic/claude-sonnet-4-6', { emptyContent: 'blank', noPrefill: true }],
    ['gateway', 'mistral/codestral', { toolCalls: 'nine', files: [] }],
    ['openai.chat', 'gpt-4o', { files: expect.arrayContaining(['image/*']) }],
    ['openai.chat', 'gpt-4', { files: [] }],
    ['openai.chat', 'gpt-4-0613', { files: [] }],
    ['openai.responses', 'gpt-4.1', { files: expect.arrayContaining(['image/*']) }],
    ['deepseek.chat', 'deepseek-v4-flash-vision-exp', { files: expect.arrayContaining(['image/png']) }],
    ['acme.chat', 'acme-1', { emptyContent: 'empty', toolCalls: 'any', alternate: false, files: false }],
    ['constructor', 'x', { emptyContent: 'empty', toolCalls: 'any' }],
    ['gateway', 'constructor/x', { emptyContent: 'empty', toolCalls: 'any' }],
    ['gateway', 'vertex/gemini-3-pro', { userFirst: true }],
  ])('%s, %s', (provider, modelId, rules) => {
    expect(new Rulebook().for({ provider, modelId })).toMatchObject(rules)
  })

  test('are those of the provider in like, with changes of the provider and then of the model', () => {
    const rulebook = new Rulebook({
      acme: { like: 'mistral', files: [], alternate: true },
      'acme/acme-2': { files: ['image/*'] },
      quiet: false,
    })
    expect(rulebook.for({ provider: 'acme.chat', modelId: 'acme-1' })).toMatchObject({
      toolCalls: 'nine',
      files: [],
      alternate: true,
    })
    expect(rulebook.for({ provider: 'acme.chat', modelId: 'acme-2' })).toMatchObject({
      toolCalls: 'nine',
      files: ['image/*'],
    })
    expect(rulebook.for({ provider: 'quiet', modelId: 'q' })).toEqual(NO_RULES)
    const nothing = { emptyContent: false, toolCalls: false } as const
    expect(new Rulebook({ acme: nothing }).for({ provider: 'acme', modelId: 'a' })).toEqual(NO_RULES)
  })
})

test.each([
  [
    { acme: { alternating: true } },
    "providerHistory['acme'].alternating is not a rule. Use one of: emptyContent,",
  ],
  [
    { acme: { emptyContent: true } },
    "providerHistory['acme'].emptyContent is true. Use one of: empty, blank, false.",
  ],
  [
    { acme: { files: 'image/*' } },
    "providerHistory['acme'].files is 'image/*'. Use a list of strings, or false.",
  ],
  [{ acme: { files: [1] } }, "providerHistory['acme'].files is an object. Use a list of strings, or false."],
  [
    { acme: { like: 'claude' } },
    "providerHistory['acme'].like is 'claude'. Use one of: openai, openai.chat, azure, anthropic,",
  ],
  [{ acme: true }, "providerHistory['acme'] is true. Use an object of rules, or false."],
  ['off', "providerHistory is 'off'. Use an object by provider,"],
])('%j is refused with what would do', (providerHistory, message) => {
  const model = { provider: 'acme', modelId: 'acme-1', specificationVersion: 'v4', supportedUrls: {} }
  expect(() => new Agent({ model, providerHistory } as never)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
  )
})
