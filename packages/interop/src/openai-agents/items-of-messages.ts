import { type Message, MessageList } from '@millrace/core'
import type { AgentsItem } from './agents-types.ts'
import { itemsOfPrompt } from './items-of-prompt.ts'

/** Messages as the items that a model of OpenAI Agents would be asked with. */
export async function itemsOfMessages(messages: readonly Message[]): Promise<readonly AgentsItem[]> {
  const prompt = await new MessageList().toPrompt({ messages })
  return itemsOfPrompt(prompt, { given: [], before: [] }).items
}
