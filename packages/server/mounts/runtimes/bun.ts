import { handler } from '../handler.ts'

const server = Bun.serve({
  port: Number(process.env.PORT ?? 3000),
  hostname: '127.0.0.1',
  fetch: handler,
  idleTimeout: 0, // the default ends an answer after ten seconds in which the model thinks
})
console.log(`Listening on ${server.url}`)

process.once('SIGTERM', async () => {
  await handler.close()
  await server.stop()
})
