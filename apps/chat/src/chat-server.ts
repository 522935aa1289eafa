import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import type { LanguageModelV4, Store } from '@millrace/core'
import { Memory } from '@millrace/memory'
import { createHandler } from '@millrace/server'
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { authenticate, beginSession } from './session.ts'
import { supportAgent } from './support-agent.ts'

export interface ChatServerOptions {
  model: LanguageModelV4
  /** What was said, and the answers that are being made. Closed with the server. */
  storage: Store
  /** Default: a free one. */
  port?: number
}

export interface ChatServer {
  /** Such as `http://127.0.0.1:41234`. */
  url: string
  /** Lets answers end for as long as `timeoutMs` (default: 10,000), then stops. */
  close(options?: { timeoutMs?: number }): Promise<void>
}

/** Where the build puts the page. */
const PAGE = join(import.meta.dirname, '../dist')

/** The page and the agent behind it, on one port of this machine. */
export async function startChatServer({ model, storage, port = 0 }: ChatServerOptions): Promise<ChatServer> {
  // By steps: a question is kept before its answer begins, so that a reload in the middle of it shows both.
  const memory = new Memory({ storage, persist: 'step', generateTitle: { model } })
  const agent = supportAgent(model, memory)
  const handler = createHandler({ agents: { support: agent }, memory, authenticate, basePath: '/api' })

  const app = new Hono()
  app.all('/api/*', (context) => handler(context.req.raw))
  app.use(
    secureHeaders({
      // What a model writes loads nothing from elsewhere.
      contentSecurityPolicy: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        styleSrc: ["'self'", "'unsafe-inline'"],
      },
    }),
  )
  app.use('/assets/*', serveStatic({ root: PAGE }))
  app.get('*', async (context, next) => {
    beginSession(context)
    return serveStatic({ root: PAGE, path: 'index.html' })(context, next)
  })

  const { promise: listening, resolve } = Promise.withResolvers<number>()
  const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => resolve(address.port))
  return {
    url: `http://127.0.0.1:${await listening}`,
    async close(options) {
      await handler.close(options)
      const closed = new Promise((done) => server.close(done))
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
      await agent.close()
      await storage.close()
    },
  }
}
