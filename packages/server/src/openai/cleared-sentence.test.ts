import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clearedSentence } from './cleared-sentence.ts'

describe('a sentence of a provider', () => {
  test.each([
    ['a key', 'Incorrect API key provided: sk-proj-aB3dE6gH9jK2mN5p.', 'aB3dE6gH9jK2mN5p'],
    ['a masked key', 'Incorrect API key provided: sk-proj-********wxyz.', 'wxyz'],
    ['a key of Google', 'Key AIzaSyD4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T is invalid', 'AIzaSy'],
    ['a bearer token', 'Header authorization: Bearer abc.def-ghi was refused', 'abc.def'],
    ['a token of JSON', 'Token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln expired', 'eyJ'],
    ['an address', 'See https://platform.example.com/account?org=1 for more', 'platform'],
    ['a host', 'Upstream llm-gateway.prod.internal said no', 'llm-gateway'],
    ['a host with a port', 'dial tcp gateway:8443: refused', 'gateway:8443'],
    ['an IP address', 'dial tcp 10.1.2.3:443: refused', '10.1.2.3'],
    ['an IPv6 address', 'dial tcp [fd00::12:3]:443: refused', 'fd00'],
    ['localhost', 'connect localhost:11434 failed', 'localhost'],
    ['an organisation', 'Limit in organization org-AbC123dEf456 reached', 'AbC123'],
    ['an organisation by UUID', 'for org 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed', '1b9d6bcd'],
    ['a project', "Consumer 'projects/123456789012' is suspended", '123456789012'],
    ['an email address', 'Contact ops@example.com', 'ops@'],
    ['an AWS role', 'arn:aws:iam::123456789012:role/x may not call', '123456789012'],
    ['a secret without a form', 'Secret 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b is wrong', '9f86d081'],
  ])('loses %s', (_, sentence, secret) => {
    const cleared = clearedSentence(sentence)
    expect(cleared).not.toContain(secret)
    expect(cleared).toContain('[removed]')
  })

  test.each([
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    'The model `gpt-4o-mini-2024-07-18` does not exist or you do not have access to it.',
    'model: claude-sonnet-4-20250514',
    'models/gemini-2.5-flash-preview-05-20 is not found for API version v1beta.',
    "Invalid schema for function 'get_weather': In context=('properties', 'city'), 'type' is required.",
    'messages.1.content.0.text: Field required',
    'input[0].content[1].image_url.url is invalid, tools.0.function.parameters too',
    'Limit 30000, Used 29000, Requested 2000. Please try again in 2.5s, at 10:15:30.',
    "An assistant message with 'tool_calls' must be followed by messages for call_AbC123dEf456GhI789jKl012.",
    'error code:400, limit:15, max_tokens:8192',
    'Bearer authentication is required, with basic information on it',
    'Skipping user-provided content: keyboard_shortcuts are key-value-pairs, and pk of the task is missing',
    'meta-llama/Llama-3.1-405B-Instruct has no endpoint',
  ])('keeps what the client needs: %s', (sentence) => {
    expect(clearedSentence(sentence)).toBe(sentence)
  })

  test('loses the texts that are known to be the server’s, whatever their form', () => {
    expect(clearedSentence('llm-gw said: acme may not', ['llm-gw', 'acme'])).toBe(
      '[removed] said: [removed] may not',
    )
  })

  test('loses a key wherever it stands, and stays one line of bounded length', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.string({ maxLength: 400 }),
        (before, after) => {
          const cleared = clearedSentence(`${before} sk-proj-aB3dE6gH9jK2mN5p ${after}`)
          expect(cleared).not.toContain('aB3dE6gH9jK2mN5p')
          expect(cleared).not.toMatch(/[\n\r\0]/)
          expect(cleared.length).toBeLessThanOrEqual(500)
        },
      ),
    )
  })
})
