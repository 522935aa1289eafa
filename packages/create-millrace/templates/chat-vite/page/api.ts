import type { RunDataParts } from '@millrace/core'
import type { UIMessage } from 'ai'

export type ChatMessage = UIMessage<unknown, RunDataParts>

export const CHAT = '/api/agents/shop/chat'

/** The local storage key of the open conversation. */
const KEY = 'thread'

/** Starts a session. Returns the id of the open conversation, or of a new one. */
export async function openThread(isNew: boolean): Promise<string> {
  await send('/session', { method: 'POST' })
  const known = isNew ? null : localStorage.getItem(KEY)
  const id = known ?? crypto.randomUUID()
  localStorage.setItem(KEY, id)
  return id
}

/**
 * The newest messages of a conversation, including pending approvals. Empty if the conversation has no
 * messages.
 */
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

/** Stops the answer on the server. Closing the stream does not stop it. */
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
