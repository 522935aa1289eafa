import type { ChatMessage } from './chat-message.ts'

export interface Thread {
  id: string
  title?: string
  updatedAt: string
}

export const titleOf = ({ title }: Thread): string => title ?? 'Untitled conversation'

const AGENT = '/api/agents/support'
export const CHAT_ADDRESS = `${AGENT}/chat`

/** An error response of the server; `status` is the HTTP status. */
class RequestFailed extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'RequestFailed'
    this.status = status
  }
}

export async function listThreads(): Promise<Thread[]> {
  const { threads } = await send<{ threads: Thread[] }>('/api/threads?limit=200')
  return threads
}

export async function renameThread(id: string, title: string): Promise<void> {
  await send(thread(id), { method: 'PATCH', body: JSON.stringify({ title }) })
}

export async function deleteThread(id: string): Promise<void> {
  await send(thread(id), { method: 'DELETE' })
}

/** All messages of a thread, including that of a waiting run; `undefined` if the thread does not exist. */
export async function listMessages(id: string): Promise<ChatMessage[] | undefined> {
  const messages: ChatMessage[] = []
  let cursor: string | undefined
  try {
    do {
      const query = new URLSearchParams({ limit: '200', ...(cursor !== undefined && { cursor }) })
      const page = await send<{ messages: ChatMessage[]; nextCursor?: string }>(
        `${thread(id)}/messages?${query}`,
      )
      messages.push(...page.messages)
      cursor = page.nextCursor
    } while (cursor !== undefined)
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 404) return undefined
    throw error
  }
  return messages
}

/** Stops the answer on the server. Closing its stream does not stop it. */
export async function stopAnswer(threadId: string): Promise<void> {
  await send(`${CHAT_ADDRESS}/${encodeURIComponent(threadId)}/stop`, { method: 'POST' })
}

function thread(id: string): string {
  return `/api/threads/${encodeURIComponent(id)}`
}

async function send<RESULT>(address: string, init: RequestInit = {}): Promise<RESULT> {
  const response = await fetch(address, { ...init, headers: { 'content-type': 'application/json' } })
  if (response.ok) return (await response.json()) as RESULT
  const { error } = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
  throw new RequestFailed(response.status, error?.message ?? `The server responded with ${response.status}.`)
}
