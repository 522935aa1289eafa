import { handler } from '../handler.ts'

const server = Deno.serve({
  port: Number(Deno.env.get('PORT') ?? 3000),
  hostname: '127.0.0.1',
  onListen: ({ hostname, port }) => console.log(`Listening on http://${hostname}:${port}/`),
  handler: (request) => handler(request),
})

Deno.addSignalListener('SIGTERM', async () => {
  await handler.close()
  await server.shutdown()
  Deno.exit()
})
