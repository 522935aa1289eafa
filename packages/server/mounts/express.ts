import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { handler } from './handler.ts'

const app = express()
app.get('/', (_request, response) => void response.send('The rest of the application.'))
// Mount it before any body parser: the handler reads bodies itself.
app.all('/api/*path', getRequestListener(handler))
app.use(express.json())

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log('Listening on', server.address())
})

process.once('SIGTERM', async () => {
  await handler.close()
  server.close()
})
