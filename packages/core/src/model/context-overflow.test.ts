import { APICallError } from '@ai-sdk/provider'
import { apiError } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { MillraceError } from '../errors.ts'
import { isContextOverflow } from './context-overflow.ts'

const said = (message: string, status = 400): Error => apiError({ status, message })

describe('recognises', () => {
  // biome-ignore format: a table is read in columns
  test.each<[string, string]>([
    ['OpenAI', "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens. Please reduce the length of the messages."],
    ['OpenAI Responses', "Your input exceeds the context window of this model. Please adjust your input and try again."],
    ['OpenAI, newer', "Your input exceeds the model's context window."],
    ['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum'],
    ['Anthropic, with max_tokens', 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again'],
    ['Amazon Bedrock', 'ValidationException: Input is too long for requested model.'],
    ['Google', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'],
    ['Mistral', 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length'],
    ['Groq', 'Please reduce the length of the messages or completion.'],
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    ['Cohere', 'too many tokens: size limit exceeded by 19296 tokens. Try using shorter or fewer inputs. The limit for this model is 132000 tokens.'],
    ['OpenRouter', "This endpoint's maximum context length is 1048576 tokens. However, you requested about 1293741 tokens"],
    ['DeepSeek', "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (66000 in the messages, 4000 in the completion)."],
    ['Perplexity', 'The total length of all messages is too long.'],
    ['Moonshot', 'Your request exceeded model token limit: 262144 (requested: 300000)'],
    ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
    ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length.'],
    ['Hugging Face', 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.'.replaceAll('`', '')],
    ['Poolside', 'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.'],
  ])('the error of %s', (_, message) => {
    expect(isContextOverflow(said(message))).toBe(true)
    expect(isContextOverflow(said(message, 413))).toBe(true)
  })

  test('the code in the body of an answer', () => {
    const responseBody = '{"error":{"message":"Bad request","code":"context_length_exceeded"}}'
    const error = new APICallError({
      message: 'Bad Request',
      url: 'https://example.com/',
      requestBodyValues: {},
      statusCode: 400,
      responseBody,
    })
    expect(isContextOverflow(error)).toBe(true)
  })

  test('the cause of a failed call, and of a gateway’s error around it', () => {
    const cause = new Error('Gateway failed', { cause: said('prompt is too long: 9 tokens > 8 maximum') })
    const failed = new MillraceError('MODEL_CALL_FAILED', 'The call failed.', { cause })
    expect(isContextOverflow(failed)).toBe(true)
  })

  test('an error event in a stream', () => {
    const event = { type: 'error', error: { code: 'context_length_exceeded', message: 'Too much' } }
    expect(isContextOverflow(new MillraceError('MODEL_STREAM_FAILED', 'x', { cause: event }))).toBe(true)
  })
})

describe('does not recognize', () => {
  test.each<[string, unknown]>([
    ['a rate limit by tokens', said('This request exceeds the limit of 30000 tokens per minute.', 429)],
    ['throttling', said('ThrottlingException: Too many tokens, please wait before trying again.')],
    ['a rate limit that names the context', said('Rate limit: maximum context length of 8192 per minute')],
    ['a wrong key', said('prompt is too long', 401)],
    ['another bad request', said('messages.0.content: field required')],
    ['nothing', undefined],
    ['a text', 'prompt is too long'],
    ['an error without words', {}],
  ])('%s', (_, error) => {
    expect(isContextOverflow(error)).toBe(false)
  })

  test('an error that is its own cause, and one that cannot be serialized', () => {
    const circle = new Error('in a circle')
    circle.cause = circle
    expect(isContextOverflow(circle)).toBe(false)
    const event: Record<string, unknown> = { type: 'error' }
    event.self = event
    expect(isContextOverflow(event)).toBe(false)
  })

  test('what comes after the beginning of a long message', () => {
    expect(isContextOverflow(said(`${'input token count '.repeat(100_000)} prompt is too long`))).toBe(false)
  })
})
