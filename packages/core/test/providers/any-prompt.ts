import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import fc from 'fast-check'

type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]

const words = fc.oneof(fc.constantFrom('', ' ', '\n\t'), fc.string({ minLength: 1, maxLength: 8 }))
const ids = fc.constantFrom('', 'call_1', 'call_2', 'functions.look:0', 'abcdefgh1', 'x'.repeat(80))
const names = fc.constantFrom('look', 'look', 'look at/this!', '', '9lives', 'constructor')
const inputs = fc.oneof(
  fc.constantFrom({ at: 'sky' }, '{"at": "s', null, [1], { at: '\ud800' }, { '\udc00': { at: 1 } }),
  fc.integer({ min: 28, max: 40 }).map((levels) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)),
  fc
    .integer({ min: 28, max: 40 })
    .map((levels) => ({ at: JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) })),
)
const options = fc.constantFrom(
  undefined,
  { anthropic: { signature: 'claude:1' } },
  { openai: { itemId: 'rs_1' } },
  { google: { thoughtSignature: 'g' } },
)
const text = words.map((text) => ({ type: 'text' as const, text }))
const file = fc
  .constantFrom('image/png', 'image/tiff', 'application/pdf', 'audio/wav', 'text/csv')
  .map((mediaType) => ({ type: 'file' as const, mediaType, data: { type: 'data' as const, data: 'aGk=' } }))
const result = fc.tuple(ids, fc.array(fc.oneof(text, file), { maxLength: 2 })).map(([toolCallId, value]) => ({
  type: 'tool-result' as const,
  toolCallId,
  toolName: 'look',
  output: value.length > 0 ? { type: 'content' as const, value } : { type: 'text' as const, value: 'blue' },
}))
const said: fc.Arbitrary<Assistant> = fc.oneof(
  text,
  file,
  fc.tuple(words, options).map(([text, providerOptions]) => ({
    type: 'reasoning' as const,
    text,
    ...(providerOptions && { providerOptions }),
  })),
  fc.tuple(ids, names, inputs, options).map(([toolCallId, toolName, input, providerOptions]) => ({
    type: 'tool-call' as const,
    toolCallId,
    toolName,
    input,
    ...(providerOptions && { providerOptions }),
  })),
)

const message: fc.Arbitrary<LanguageModelV4Message> = fc.oneof(
  fc.array(fc.oneof(text, file), { maxLength: 3 }).map((content) => ({ role: 'user' as const, content })),
  fc.array(said, { maxLength: 4 }).map((content) => ({ role: 'assistant' as const, content })),
  fc.array(result, { maxLength: 3 }).map((content) => ({ role: 'tool' as const, content })),
)

/** A conversation as no provider has made it: what histories, windows and processors can leave of one. */
export const anyPrompt: fc.Arbitrary<LanguageModelV4Prompt> = fc
  .tuple(
    fc.array(
      words.map((content) => ({ role: 'system' as const, content })),
      { maxLength: 1 },
    ),
    fc.array(message, { maxLength: 8 }),
  )
  .map(([system, messages]) => [...system, ...messages])
