// Serves the API, and the page that `npm run build` creates.
import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { chatHandler } from './chat-handler.ts'
import { beginSession } from './session.ts'

const handler = chatHandler()
const app = new Hono()
app.post('/session', (context) => beginSession(context.req.raw))
app.all('/api/*', (context) => handler(context.req.raw))
// Model output cannot load external resources.
app.use(secureHeaders({ contentSecurityPolicy: { defaultSrc: ["'self'"], imgSrc: ["'self'", 'data:'] } }))
app.use(serveStatic({ root: 'dist' }))

const server = serve(
  { fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' },
  ({ port }) => console.log(`Listening on http://127.0.0.1:${port}/`),
)

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await handler.close() // Rejects new requests, and waits for running answers.
    server.close()
  })
}
