import type { LanguageModelV4 } from '@ai-sdk/provider'
import { Memory } from '@millrace/memory'
import { createHandler, type Handler } from '@millrace/server'
import { SQLiteStore } from '@millrace/store-sqlite'
import { createAgent } from './agent.ts'
import { chooseModel } from './model.ts'
import { authenticate } from './session.ts'

/** The routes of the chat, under `/api`. */
export function createChatHandler({ model, path }: { model: LanguageModelV4; path: string }): Handler {
  const memory = new Memory({ storage: new SQLiteStore({ path }) })
  const agents = { shop: createAgent(model, memory) }
  return createHandler({ agents, memory, authenticate, basePath: '/api' })
}

let handler: Handler | undefined

/** The handler of this process, created with the first request, so that a build opens no database. */
export function chatHandler(): Handler {
  handler ??= createChatHandler({ model: chooseModel(), path: process.env.DATABASE ?? 'chat.db' })
  return handler
}
