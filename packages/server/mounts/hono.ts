import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { handler } from './handler.ts'

const app = new Hono()
app.get('/', (context) => context.text('The rest of the application.'))
app.all('/api/*', (context) => handler(context.req.raw))

const server = serve(
  { fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' },
  (address) => console.log('Listening on', address),
)

process.once('SIGTERM', async () => {
  await handler.close()
  server.close()
})
