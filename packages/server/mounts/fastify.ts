import { getRequestListener } from '@hono/node-server'
import fastify from 'fastify'
import { handler } from './handler.ts'

const app = fastify()
app.get('/', () => 'The rest of the application.')

const listener = getRequestListener(handler)
app.register(async (scope) => {
  // The handler reads bodies itself.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _body, done) => done(null))
  scope.all('/api/*', async (request, reply) => {
    reply.hijack()
    await listener(request.raw, reply.raw)
  })
})

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log('Listening on', app.server.address())

process.once('SIGTERM', async () => {
  await handler.close()
  await app.close()
})
