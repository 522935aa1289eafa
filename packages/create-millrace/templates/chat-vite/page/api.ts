import type { RunDataParts } from '@millrace/core'
import type { UIMessage } from 'ai'

export type ChatMessage = UIMessage<unknown, RunDataParts>

export const CHAT = '/api/agents/shop/chat'

/** Where the browser keeps which conversation is open. */
const KEY = 'thread'

/** Begins a session, and returns the id of the conversation that is open, or of a new one. */
export async function openThread(isNew: boolean): Promise<string> {
  await send('/session', { method: 'POST' })
  const known = isNew ? null : localStorage.getItem(KEY)
  const id = known ?? crypto.randomUUID()
  localStorage.setItem(KEY, id)
  return id
}

/** The newest messages of a conversation, with what its run waits for; none if it has not begun. */
export async function listMessages(threadId: string): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = []
  let cursor = ''
  do {
    const page = `/api/threads/${threadId}/messages?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const response = await send(page, {}, 404)
    if (response.status === 404) return []
    const found = (await response.json()) as { messages: ChatMessage[]; nextCursor?: string }
    messages.push(...found.messages)
    cursor = found.nextCursor ?? ''
  } while (cursor !== '')
  return messages
}

/** Ends the answer on the server: leaving its stream does not. */
export async function stopAnswer(threadId: string): Promise<void> {
  await send(`${CHAT}/${threadId}/stop`, { method: 'POST' })
}

async function send(address: string, init: RequestInit, expected?: number): Promise<Response> {
  const response = await fetch(address, init)
  if (!response.ok && response.status !== expected) {
    throw new Error(`The server answered ${response.status}. Load the page again.`)
  }
  return response
}
