import type { UIMessage } from '@millrace/core'

/** As much of Mastra's interfaces as the adapters use. Structural, so that nothing of Mastra is loaded. */

/** One of Mastra's messages, in its database form. */
export interface MastraMessage {
  id: string
  role: string
  createdAt: Date
  threadId?: string
  resourceId?: string
  content: { format: 2; parts: readonly unknown[]; content?: string; metadata?: Record<string, unknown> }
}

type Source = 'memory' | 'input' | 'response' | 'context'

interface Views {
  db(): MastraMessage[]
  aiV6: { ui(): UIMessage[] }
}

/** Mastra's `MessageList`. */
export interface MastraMessageList {
  add(messages: unknown, source: Source): MastraMessageList
  removeByIds(ids: string[]): unknown
  readonly get: {
    readonly all: Views
    readonly remembered: Views
    readonly input: Views
    readonly response: Views
  }
}

/** Mastra's `RequestContext`. */
export interface MastraRequestContext {
  entries(): Iterable<[string, unknown]>
}

export type MastraAbort = (reason?: string, options?: { retry?: boolean; metadata?: unknown }) => never

/** What every hook of Mastra gets. */
export interface MastraHookArgs {
  abort: MastraAbort
  state: Record<string, unknown>
  requestContext?: MastraRequestContext
  abortSignal?: AbortSignal
  messageList: MastraMessageList
  retryCount: number
}
