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
  /** The store of conversations and answers in progress. It is closed with the server. */
  storage: Store
  /** Default: a free port. */
  port?: number
}

export interface ChatServer {
  /** Such as `http://127.0.0.1:41234`. */
  url: string
  /** Waits up to `timeoutMs` (default: 10,000) for answers in progress, then stops. */
  close(options?: { timeoutMs?: number }): Promise<void>
}

/** The folder of the built page. */
const PAGE = join(import.meta.dirname, '../dist')

/** Serves the page and the agent on one port of this machine. */
export async function startChatServer({ model, storage, port = 0 }: ChatServerOptions): Promise<ChatServer> {
  const memory = new Memory({ storage, generateTitle: { model } })
  const agent = supportAgent(model, memory)
  const handler = createHandler({ agents: { support: agent }, memory, authenticate, basePath: '/api' })

  const app = new Hono()
  app.all('/api/*', (context) => handler(context.req.raw))
  app.use(
    secureHeaders({
      // Content of the model must not load external resources.
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
