import type { UIMessage } from '@millrace/core'

/**
 * The parts of Mastra's interfaces that the adapters use. They are structural, so that Mastra is not loaded.
 */

/** A Mastra message in its database format. */
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

/** The arguments of every Mastra hook. */
export interface MastraHookArgs {
  abort: MastraAbort
  state: Record<string, unknown>
  requestContext?: MastraRequestContext
  abortSignal?: AbortSignal
  messageList: MastraMessageList
  retryCount: number
}
