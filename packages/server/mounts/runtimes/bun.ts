import { handler } from '../handler.ts'

const server = Bun.serve({
  port: Number(process.env.PORT ?? 3000),
  hostname: '127.0.0.1',
  fetch: handler,
  idleTimeout: 0, // Bun's default closes the connection after ten seconds without data, which a model can take
})
console.log(`Listening on ${server.url}`)

process.once('SIGTERM', async () => {
  await handler.close()
  await server.stop()
})
