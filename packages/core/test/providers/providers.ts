import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { test as base, type TestAPI } from 'vitest'
import { anthropicWire } from './anthropic-wire.ts'
import { LoopbackServer } from './loopback-server.ts'
import { openaiChatWire } from './openai-chat-wire.ts'
import { openaiResponsesWire } from './openai-responses-wire.ts'
import type { Wire } from './wire.ts'

/** A client of a model provider, and the protocol it speaks. */
export interface Provider {
  name: 'openai' | 'openai.chat' | 'openai-compatible' | 'anthropic'
  wire: Wire
  /** A model that calls the server at this address. */
  model(baseURL: string): LanguageModelV4
}

const apiKey = 'test'

export const providers: readonly Provider[] = [
  {
    name: 'openai',
    wire: openaiResponsesWire,
    model: (baseURL) => createOpenAI({ baseURL, apiKey })('gpt-5-mini'),
  },
  {
    name: 'openai.chat',
    wire: openaiChatWire,
    model: (baseURL) => createOpenAI({ baseURL, apiKey }).chat('gpt-4.1-mini'),
  },
  {
    name: 'openai-compatible',
    wire: openaiChatWire,
    model: (baseURL) =>
      createOpenAICompatible({
        name: 'acme',
        baseURL,
        apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })('acme-1'),
  },
  {
    name: 'anthropic',
    wire: anthropicWire,
    model: (baseURL) => createAnthropic({ baseURL, apiKey })('claude-sonnet-4-5'),
  },
]

/** A test with a server of its own. */
export const test: TestAPI<{ server: LoopbackServer }> = base.extend<{ server: LoopbackServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures it must prepare from the pattern
  server: async ({}, use) => {
    const server = await LoopbackServer.start()
    await use(server)
    await server.close()
  },
})
