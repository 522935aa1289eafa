import { createAnthropic } from '@ai-sdk/anthropic'
import { createDeepSeek } from '@ai-sdk/deepseek'
import { createGoogle } from '@ai-sdk/google'
import { createGroq } from '@ai-sdk/groq'
import { createMistral } from '@ai-sdk/mistral'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { anthropicWire } from './anthropic-wire.ts'
import { googleReply } from './google-wire.ts'
import type { Answer } from './loopback-server.ts'
import { openaiChatWire } from './openai-chat-wire.ts'
import { openaiResponsesWire } from './openai-responses-wire.ts'
import { refuseAnthropic } from './refusals/anthropic-refusals.ts'
import {
  refuseDeepSeek,
  refuseGroq,
  refuseMistral,
  refuseOpenAIChat,
  refuseTemplate,
} from './refusals/chat-refusals.ts'
import { refuseGoogle } from './refusals/google-refusals.ts'
import { type Refuse, strict } from './refusals/refusal.ts'
import { refuseResponses } from './refusals/responses-refusals.ts'

/** A provider's published client, and a server that refuses what the provider refuses. */
export interface StrictProvider {
  model(baseURL: string, modelId: string): LanguageModelV4
  answer: Answer
}

export type StrictProviderName =
  | 'anthropic'
  | 'openai'
  | 'openai.chat'
  | 'google'
  | 'mistral'
  | 'deepseek'
  | 'groq'
  | 'perplexity'
  | 'acme'

const apiKey = 'test'
const reply = { responseId: 'reply-1', text: ['Hello'] }

function chat<BODY>(refuse: Refuse<BODY>): Answer {
  return strict(refuse, openaiChatWire.reply(reply))
}

export const strictProviders: Record<StrictProviderName, StrictProvider> = {
  anthropic: {
    model: (baseURL, modelId) => createAnthropic({ baseURL, apiKey })(modelId),
    answer: strict(refuseAnthropic, anthropicWire.reply(reply)),
  },
  openai: {
    model: (baseURL, modelId) => createOpenAI({ baseURL, apiKey }).responses(modelId),
    answer: strict(refuseResponses, openaiResponsesWire.reply(reply)),
  },
  'openai.chat': {
    model: (baseURL, modelId) => createOpenAI({ baseURL, apiKey }).chat(modelId),
    answer: chat(refuseOpenAIChat),
  },
  google: {
    model: (baseURL, modelId) => createGoogle({ baseURL, apiKey })(modelId),
    answer: strict(refuseGoogle, googleReply('Hello')),
  },
  mistral: {
    model: (baseURL, modelId) => createMistral({ baseURL, apiKey })(modelId),
    // Its usage comes with the last choice, never by itself.
    answer: strict(
      refuseMistral,
      openaiChatWire.reply(reply).filter((event) => !event.includes('"choices":[]')),
    ),
  },
  deepseek: {
    model: (baseURL, modelId) => createDeepSeek({ baseURL, apiKey })(modelId),
    answer: chat(refuseDeepSeek),
  },
  groq: {
    model: (baseURL, modelId) => createGroq({ baseURL, apiKey })(modelId),
    answer: chat(refuseGroq),
  },
  perplexity: {
    model: (baseURL, modelId) => createOpenAICompatible({ name: 'perplexity', baseURL, apiKey })(modelId),
    answer: chat(refuseTemplate),
  },
  acme: {
    model: (baseURL, modelId) => createOpenAICompatible({ name: 'acme', baseURL, apiKey })(modelId),
    answer: chat(refuseTemplate),
  },
}
