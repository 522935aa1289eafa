import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { handler } from './handler.ts'

await handler.warmUp() // before the first message, and not with it
const server = createServer(getRequestListener(handler))
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log('Listening on', server.address())
})

process.once('SIGTERM', async () => {
  await handler.close() // refuses new requests and waits for answers in progress
  server.close()
})
