import { type Message, MessageList } from '@millrace/core'
import type { AgentsItem } from './agents-types.ts'
import { itemsOfPrompt } from './items-of-prompt.ts'

/** Messages as the input items of a model of OpenAI Agents. */
export async function itemsOfMessages(messages: readonly Message[]): Promise<readonly AgentsItem[]> {
  const prompt = await new MessageList().toPrompt({ messages })
  return itemsOfPrompt(prompt, { given: [], before: [] }).items
}
