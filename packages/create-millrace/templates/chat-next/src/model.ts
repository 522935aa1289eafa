import { openai } from '@ai-sdk/openai'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { demoModel } from './demo-model.ts'

/** The model of the chat: OpenAI's if there is an API key, otherwise the rule-based demo model. */
export function chooseModel(): LanguageModelV4 {
  return process.env.OPENAI_API_KEY ? openai('gpt-5-mini') : demoModel()
}
