import type { LanguageModelV4 } from '@ai-sdk/provider'
import { Memory } from '@millrace/memory'
import { createHandler, type Handler } from '@millrace/server'
import { SQLiteStore } from '@millrace/store-sqlite'
import { createAgent } from './agent.ts'
import { chooseModel } from './model.ts'
import { authenticate } from './session.ts'

/** The routes of the chat, below `/api`. */
export function createChatHandler({ model, path }: { model: LanguageModelV4; path: string }): Handler {
  // By steps: a question is kept before its answer begins, so a page that is loaded in the middle of it shows both.
  const memory = new Memory({ storage: new SQLiteStore({ path }), persist: 'step' })
  const agents = { shop: createAgent(model, memory) }
  return createHandler({ agents, memory, authenticate, basePath: '/api' })
}

let handler: Handler | undefined

/** The handler of this process, made with its first request: a build opens no database. */
export function chatHandler(): Handler {
  handler ??= createChatHandler({ model: chooseModel(), path: process.env.DATABASE ?? 'chat.db' })
  return handler
}
