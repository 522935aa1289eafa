import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  Agent,
  type HistoryRuleName,
  type Processor,
  type ProviderHistoryOptions,
  tool,
} from '@millrace/core'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { anthropicWire } from './anthropic-wire.ts'
import { anyPrompt } from './any-prompt.ts'
import { streams } from './loopback-server.ts'
import { test } from './providers.ts'
import { OWN_SIGNATURE } from './refusals/anthropic-refusals.ts'
import { type StrictProviderName, strictProviders } from './strict-providers.ts'
import { transcriptOf } from './wire.ts'

const hi = user('Hi')
const called = assistant(toolCall('call_1'))
const answered = results('call_1')
const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } } as const

interface Case {
  provider: StrictProviderName
  modelId: string
  what: string
  rule: HistoryRuleName
  prompt: LanguageModelV4Prompt
  /** The refusal, in the provider's words. */
  refusal: string | RegExp
  /** What the provider sees instead. */
  sent?: unknown
}

const CLAUDE = 'claude-sonnet-4-6'
const GPT = 'gpt-5-mini'

const cases: Case[] = [
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'a window that begins with a tool call',
    rule: 'userFirst',
    prompt: [called, answered, user('And?')],
    refusal: 'messages: first message must use the "user" role',
    sent: [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use' }] },
      { role: 'user', content: [{ type: 'tool_result' }, { text: 'And?' }] },
    ],
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'a window that begins with a tool result',
    rule: 'toolCalls',
    prompt: [answered, hi],
    refusal: /unexpected `tool_use_id` found in `tool_result` blocks: call_1/,
    sent: [{ role: 'user', content: [{ text: 'Hi' }] }],
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'a call without a result',
    rule: 'toolCalls',
    prompt: [hi, called, user('And?')],
    refusal: /`tool_use` ids were found without `tool_result` blocks immediately after: call_1/,
    sent: [
      {},
      {},
      { content: [{ type: 'tool_result', tool_use_id: 'call_1', is_error: true }, { text: 'And?' }] },
    ],
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'ids of calls that another provider has made',
    rule: 'toolCalls',
    prompt: [hi, assistant(toolCall('functions.look:0')), results('functions.look:0')],
    refusal: "String should match pattern '^[a-zA-Z0-9_-]+$'",
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'ids of calls that occur twice',
    rule: 'toolCalls',
    prompt: [hi, called, answered, called, answered],
    refusal: '`tool_use` ids must be unique',
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'thinking that nothing follows',
    rule: 'trailingReasoning',
    prompt: [hi, assistant(text('Hello'), signed(`${OWN_SIGNATURE}1`)), user('And?')],
    refusal: 'The final block in an assistant message cannot be `thinking`.',
    sent: [{}, { content: [{ type: 'text', text: 'Hello' }] }, {}],
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'a prefill',
    rule: 'noPrefill',
    prompt: [hi, assistant(text('Hel'))],
    refusal: 'This model does not support assistant message prefill.',
    sent: [{}, { role: 'assistant', content: [{ text: 'Hel' }] }, { role: 'user' }],
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'an empty text part',
    rule: 'emptyContent',
    prompt: [{ role: 'user', content: [text(''), text('Hi')] }],
    refusal: 'messages: text content blocks must be non-empty',
    sent: [{ content: [{ text: 'Hi' }] }],
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'text of white space alone',
    rule: 'emptyContent',
    prompt: [user(' \n\t ')],
    refusal: 'messages: text content blocks must contain non-whitespace text',
    sent: [{ content: [{ text: '(This message was empty.)' }] }],
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'empty instructions',
    rule: 'emptyContent',
    prompt: [{ role: 'system', content: '' }, hi],
    refusal: 'system: text content blocks must be non-empty',
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'an image of a type it does not read',
    rule: 'files',
    prompt: [{ role: 'user', content: [{ ...image, mediaType: 'image/tiff' }, text('What is this?')] }],
    refusal: "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    sent: [
      {
        content: [
          { type: 'text', text: '(A file of image/tiff was left out: this model does not take it.)' },
          { text: 'What is this?' },
        ],
      },
    ],
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'a file that its client does not send',
    rule: 'files',
    prompt: [{ role: 'user', content: [{ ...image, mediaType: 'audio/wav' }] }],
    refusal: 'media type: audio/wav',
  },
  {
    provider: 'anthropic',
    modelId: CLAUDE,
    what: 'a file that another provider stores',
    rule: 'files',
    prompt: [
      { role: 'user', content: [{ ...image, data: { type: 'reference', reference: { openai: 'file-1' } } }] },
    ],
    refusal: /anthropic/,
  },
  {
    provider: 'openai',
    modelId: GPT,
    what: 'a call without a result',
    rule: 'toolCalls',
    prompt: [hi, called, user('And?')],
    refusal: 'No tool output found for function call call_1.',
  },
  {
    provider: 'openai',
    modelId: GPT,
    what: 'a result without a call',
    rule: 'toolCalls',
    prompt: [answered, hi],
    refusal: 'No tool call found for function call output with call_id call_1.',
  },
  {
    provider: 'openai',
    modelId: GPT,
    what: 'long ids of calls',
    rule: 'toolCalls',
    prompt: [hi, assistant(toolCall('c'.repeat(80))), results('c'.repeat(80))],
    refusal: 'string too long. Expected a string with maximum length 64',
  },
  {
    provider: 'openai',
    modelId: GPT,
    what: 'reasoning whose answer a processor has taken out',
    rule: 'trailingReasoning',
    prompt: [hi, assistant(reasoning({ openai: { itemId: 'rs_1' } })), user('And?')],
    refusal: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    sent: [{ content: [{ text: 'Hi' }] }, { content: [{ text: 'And?' }] }],
  },
  {
    provider: 'openai.chat',
    modelId: 'gpt-4.1-mini',
    what: 'a result without a call',
    rule: 'toolCalls',
    prompt: [answered, hi],
    refusal: "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  },
  {
    provider: 'openai.chat',
    modelId: 'gpt-4.1-mini',
    what: 'a result that does not follow its call',
    rule: 'toolCalls',
    prompt: [hi, called, user('Wait'), answered],
    refusal: "An assistant message with 'tool_calls' must be followed by tool messages",
    sent: [
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', tool_call_id: 'call_1' },
      { content: 'Wait' },
    ],
  },
  {
    provider: 'openai.chat',
    modelId: 'gpt-4.1-mini',
    what: 'a call that another provider has executed itself',
    rule: 'noExecutedTools',
    prompt: [
      hi,
      assistant(
        {
          ...toolCall('ws_1'),
          providerExecuted: true,
          providerOptions: { anthropic: { caller: { type: 'direct' } } },
        },
        toolResult('ws_1'),
        text('Found it.'),
      ),
      user('And?'),
    ],
    refusal: 'The following tool_call_ids did not have response messages: ws_1',
    sent: [{}, { role: 'assistant', content: 'Found it.' }, {}],
  },
  {
    provider: 'openai.chat',
    modelId: 'gpt-3.5-turbo',
    what: 'an image where the model has no eyes',
    rule: 'files',
    prompt: [{ role: 'user', content: [text('What is this?'), image] }],
    refusal: 'Invalid content type. image_url is only supported by certain models.',
  },
  {
    provider: 'google',
    modelId: 'gemini-3-pro',
    what: 'a window that begins with a tool call',
    rule: 'userFirst',
    prompt: [called, answered],
    refusal: 'Please ensure that function call turn comes immediately after a user turn',
  },
  {
    provider: 'google',
    modelId: 'gemini-2.5-flash',
    what: 'fewer results than calls',
    rule: 'toolCalls',
    prompt: [hi, assistant(toolCall('call_1'), toolCall('call_2')), answered],
    refusal:
      'Please ensure that the number of function response parts is equal to the number of function call parts',
  },
  {
    provider: 'google',
    modelId: 'gemini-2.5-flash',
    what: 'a result of several texts, which its client sends as several results',
    rule: 'oneResultText',
    prompt: [
      hi,
      called,
      {
        role: 'tool',
        content: [
          { ...toolResult('call_1'), output: { type: 'content', value: [text('light'), text('blue')] } },
        ],
      },
    ],
    refusal:
      'Please ensure that the number of function response parts is equal to the number of function call parts',
  },
  {
    provider: 'google',
    modelId: 'gemini-2.5-flash',
    what: 'a call that another provider has executed itself, and that only its message says of',
    rule: 'foreignParts',
    prompt: [
      hi,
      assistant(
        signed('claude:1'),
        { ...toolCall('srvtoolu_1'), providerExecuted: true },
        toolResult('srvtoolu_1'),
        text('Found it.'),
      ),
      user('And?'),
    ],
    refusal:
      'Please ensure that the number of function response parts is equal to the number of function call parts',
  },
  {
    provider: 'google',
    modelId: 'gemini-2.5-flash',
    what: 'a call that another provider has executed itself, and that nothing says of',
    rule: 'noExecutedTools',
    prompt: [
      hi,
      assistant(
        { ...toolCall('srvtoolu_1'), providerExecuted: true },
        toolResult('srvtoolu_1'),
        text('Found it.'),
      ),
      user('And?'),
    ],
    refusal:
      'Please ensure that the number of function response parts is equal to the number of function call parts',
  },
  {
    provider: 'google',
    modelId: 'gemini-2.5-flash',
    what: 'a message of nothing but what its client leaves out',
    rule: 'foreignParts',
    prompt: [hi, assistant({ type: 'custom', kind: 'anthropic.message_start' }), user('And?')],
    refusal: 'contents.parts must not be empty.',
  },
  {
    provider: 'mistral',
    modelId: 'mistral-large-latest',
    what: 'a file that another model has made',
    rule: 'files',
    prompt: [hi, assistant(image, text('Here it is.')), user('And?')],
    refusal: 'Unsupported content type in assistant message: file',
  },
  {
    provider: 'google',
    modelId: 'gemini-2.5-flash',
    what: 'an empty message',
    rule: 'emptyContent',
    prompt: [hi, assistant(text('')), user('And?')],
    refusal: 'contents.parts must not be empty.',
  },
  {
    provider: 'google',
    modelId: 'gemini-2.5-flash',
    what: 'an answer at the end',
    rule: 'noPrefill',
    prompt: [hi, assistant(text('Hel'))],
    refusal: 'Please ensure that multiturn requests end with a user role or a function response.',
  },
  {
    provider: 'mistral',
    modelId: 'mistral-large-latest',
    what: 'ids of calls that another provider has made',
    rule: 'toolCalls',
    prompt: [hi, called, answered],
    refusal: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
  },
  {
    provider: 'mistral',
    modelId: 'mistral-large-latest',
    what: 'a message of the user behind a result',
    rule: 'answerAfterTool',
    prompt: [hi, assistant(toolCall('abcdefgh1')), results('abcdefgh1'), user('And?')],
    refusal: "Unexpected role 'user' after role 'tool'",
  },
  {
    provider: 'mistral',
    modelId: 'mistral-large-latest',
    what: 'parts of another provider',
    rule: 'foreignParts',
    prompt: [
      hi,
      assistant(
        { type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { itemId: 'c' } } },
        text('Hello'),
      ),
      user('And?'),
    ],
    refusal: 'Unsupported content type in assistant message: custom',
  },
  {
    provider: 'mistral',
    modelId: 'codestral-latest',
    what: 'an image where the model has no eyes',
    rule: 'files',
    prompt: [{ role: 'user', content: [text('What is this?'), image] }],
    refusal: 'Image input is not enabled for this model',
  },
  {
    provider: 'deepseek',
    modelId: 'deepseek-reasoner',
    what: 'two messages of the user in a row',
    rule: 'alternate',
    prompt: [user('One'), user('Two')],
    refusal:
      'deepseek-reasoner does not support successive user or assistant messages (messages[0] and messages[1]',
    sent: [{ role: 'user', content: 'One\n\nTwo' }],
  },
  {
    provider: 'deepseek',
    modelId: 'deepseek-v4-pro',
    what: 'an image where the model has no eyes',
    rule: 'files',
    prompt: [{ role: 'user', content: [text('What is this?'), image] }],
    refusal: 'unknown variant `image_url`, expected `text`',
  },
  {
    provider: 'groq',
    modelId: 'moonshotai/kimi-k2-instruct',
    what: 'thinking of another provider',
    rule: 'foreignParts',
    prompt: [hi, assistant(signed('claude:1'), text('Hello')), user('And?')],
    refusal: 'reasoning is not supported with this model',
  },
  {
    provider: 'groq',
    modelId: 'llama-3.3-70b-versatile',
    what: 'an image where the model has no eyes',
    rule: 'files',
    prompt: [{ role: 'user', content: [text('What is this?'), image] }],
    refusal: 'content must be a string',
  },
  {
    provider: 'perplexity',
    modelId: 'sonar',
    what: 'two messages of the user in a row',
    rule: 'alternate',
    prompt: [user('One'), user('Two')],
    refusal: 'Conversation roles must alternate user/assistant/user/assistant/...',
  },
]

describe.each(cases)('$provider, $modelId: $what', ({ provider, modelId, rule, prompt, refusal, sent }) => {
  const { model, answer } = strictProviders[provider]

  test('is refused without changes', async ({ server }) => {
    server.answer(answer)
    const agent = new Agent({
      model: model(server.url, modelId),
      processors: [asks(prompt)],
      providerHistory: false,
    })
    const error = await agent.generate('Hi').catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'MODEL_CALL_FAILED' })
    expect(String((error as Error).cause)).toMatch(refusal)
  })

  test.for(['generate', 'stream', 'resume'] as const)('is adapted: %s', async (way, { server }) => {
    server.answer(answer)
    const frozen = freeze(structuredClone(prompt))
    const agent = new Agent({
      model: model(server.url, modelId),
      processors: [asks(frozen), ...(way === 'resume' ? [waits] : [])],
    })
    const result = await run(agent, way)
    expect(result).toMatchObject({ status: 'completed', text: 'Hello' })
    expect(result.steps[0]?.request.mended).toContain(rule)
    expect(frozen).toEqual(prompt)
    if (sent) {
      const conversation = transcriptOf(server.bodies.at(-1))
      expect(conversation).toMatchObject(sent as object)
      expect(conversation).toHaveLength((sent as object[]).length)
    }
  })
})

test('what clients drop with a warning is removed before', async ({ server }) => {
  const { model, answer } = strictProviders.anthropic
  server.answer(answer)
  const prompt = [hi, assistant(reasoning({ openai: { itemId: 'rs_1' } }), text('Hello')), user('And?')]
  const result = await new Agent({ model: model(server.url, CLAUDE), processors: [asks(prompt)] }).generate(
    'Hi',
  )
  expect(result.warnings).toEqual([])
  expect(result.steps[0]?.request.mended).toEqual(['foreignParts'])
})

test('another model in the middle of a run gets the prompt in its own form', async ({ server }) => {
  const [claude, mistral] = [strictProviders.anthropic, strictProviders.mistral]
  const wire = anthropicWire.reply({
    responseId: 'reply-1',
    reasoning: { text: 'I need to look.', seal: `${OWN_SIGNATURE}1` },
    calls: [{ id: 'toolu_01', name: 'look', input: { at: 'sky' } }],
  })
  server.answer(streams(wire), mistral.answer)
  const agent = new Agent({
    model: claude.model(server.url, CLAUDE),
    tools: { look: tool({ inputSchema: z.object({ at: z.string() }), execute: () => 'blue' }) },
    prepareStep: ({ stepNumber }) =>
      stepNumber === 1 ? { model: mistral.model(server.url, 'mistral-large-latest') } : {},
  })
  const result = await agent.generate('What color is the sky?')
  expect(result).toMatchObject({ status: 'completed', text: 'Hello' })
  expect(result.steps[1]?.request).toMatchObject({
    provider: 'mistral.chat',
    mended: ['foreignParts', 'toolCalls'],
  })
  // The transcript, and what is stored of it, is as the first model said it.
  expect(result.messages.at(-1)?.content.parts).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'tool-look', toolCallId: 'toolu_01' }),
      expect.objectContaining({
        type: 'reasoning',
        providerMetadata: { anthropic: { signature: `${OWN_SIGNATURE}1` } },
      }),
    ]),
  )
})

describe('the rules of a custom provider', () => {
  const { model, answer } = strictProviders.acme
  const prompt = [user('One'), user('Two')]

  test('are the common ones: consecutive messages are not merged', async ({ server }) => {
    server.answer(answer)
    const agent = new Agent({ model: model(server.url, 'acme-1'), processors: [asks(prompt)] })
    await expect(agent.generate('Hi')).rejects.toMatchObject({
      cause: { message: 'Conversation roles must alternate user/assistant/user/assistant/...' },
    })
  })

  test.for<ProviderHistoryOptions>([
    { acme: { alternate: true } },
    { acme: { like: 'perplexity' } },
    { acme: false, 'acme/acme-1': { alternate: true } },
    { 'acme/acme-1': { like: 'deepseek', alternate: true } },
  ])('are named: %j', async (providerHistory, { server }) => {
    server.answer(answer)
    const agent = new Agent({
      model: model(server.url, 'acme-1'),
      processors: [asks(prompt)],
      providerHistory,
    })
    expect(await agent.generate('Hi')).toMatchObject({ status: 'completed' })
  })

  test('a rule of a known provider can be disabled', async ({ server }) => {
    const { model, answer } = strictProviders.anthropic
    server.answer(answer)
    const agent = new Agent({
      model: model(server.url, CLAUDE),
      processors: [asks([hi, assistant(text('Hel'))])],
      providerHistory: { anthropic: { noPrefill: false } },
    })
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'MODEL_CALL_FAILED' })
  })
})

describe('a prefill', () => {
  test.for([
    { modelId: 'claude-sonnet-4-5', options: {}, kept: true },
    { modelId: 'claude-3-7-sonnet-20250219', options: {}, kept: true },
    { modelId: 'claude-sonnet-4-20250514', options: {}, kept: true },
    { modelId: 'claude-opus-4-6', options: {}, kept: false },
    { modelId: 'claude-sonnet-5', options: {}, kept: false },
    { modelId: 'claude-sonnet-4-5', options: { output: z.object({ a: z.number() }) }, kept: false },
    {
      modelId: 'claude-sonnet-4-5',
      options: { providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } } },
      kept: false,
    },
  ])(
    'stays one where the model takes it: $modelId, $kept',
    async ({ modelId, options, kept }, { server }) => {
      server.answer(streams(anthropicWire.reply({ responseId: 'reply-1', text: ['{"a":1}'] })))
      const agent = new Agent({
        model: strictProviders.anthropic.model(server.url, modelId),
        processors: [asks([hi, assistant(text('Hel'))])],
      })
      await agent.generate('Hi', options)
      expect(transcriptOf(server.bodies[0])).toHaveLength(kept ? 2 : 3)
    },
  )
})

describe.each([
  ['anthropic', CLAUDE],
  ['openai', GPT],
  ['openai.chat', 'gpt-4.1-mini'],
  ['google', 'gemini-2.5-flash'],
  ['mistral', 'mistral-large-latest'],
  ['deepseek', 'deepseek-reasoner'],
  ['groq', 'llama-3.3-70b-versatile'],
] as const)('%s', (provider, modelId) => {
  test('answers any conversation', async ({ server }) => {
    const { model, answer } = strictProviders[provider]
    const property = fc.asyncProperty(anyPrompt, async (prompt) => {
      // What has no message at all is refused before it is sent.
      fc.pre(prompt.some(({ role }) => role !== 'system'))
      server.answer(answer)
      const agent = new Agent({ model: model(server.url, modelId), processors: [asks(prompt)] })
      expect(await agent.generate('Hi')).toMatchObject({ status: 'completed', text: 'Hello' })
    })
    await fc.assert(property, { numRuns: 60 })
  })
})

async function run(agent: Agent, way: 'generate' | 'stream' | 'resume') {
  if (way === 'stream') return agent.stream('Hi').result
  const result = await agent.generate('Hi')
  if (way === 'generate') return result
  expect(result.status).toBe('suspended')
  return agent.resume(result.runId, { go: true })
}

/** Suspends before the first model call. */
const waits: Processor = {
  id: 'waits',
  processInputStep({ resumeData, suspend }) {
    if (resumeData === undefined) suspend({ reason: 'wait' })
  },
}

/** Puts a prompt in the place of the run's. */
function asks(prompt: LanguageModelV4Prompt): Processor {
  return { id: 'asks', wrapModelCall: ({ request, next }) => next({ ...request, prompt }) }
}

type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>

function text(value: string) {
  return { type: 'text' as const, text: value }
}

function user(value: string): LanguageModelV4Message {
  return { role: 'user', content: [text(value)] }
}

function assistant(...content: Assistant['content']): Assistant {
  return { role: 'assistant', content }
}

function toolCall(toolCallId: string) {
  return { type: 'tool-call' as const, toolCallId, toolName: 'look', input: { at: 'sky' } }
}

function toolResult(toolCallId: string) {
  const output = { type: 'text' as const, value: 'blue' }
  return { type: 'tool-result' as const, toolCallId, toolName: 'look', output }
}

function results(...ids: string[]): LanguageModelV4Message {
  return { role: 'tool', content: ids.map(toolResult) }
}

function reasoning(providerOptions: NonNullable<Assistant['providerOptions']>) {
  return { type: 'reasoning' as const, text: 'Hm.', providerOptions }
}

function signed(signature: string) {
  return reasoning({ anthropic: { signature } })
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(Object.freeze(value))) freeze(inner)
  return value
}
