import type { Hono } from 'hono'
import { StudioError } from '../studio-error.ts'
import type { JudgeRequest, TableEvents, TableRequest } from '../wire.ts'
import { eventStream } from './events.ts'
import { JudgeSchema, parsedBody, TableSchema } from './requests.ts'
import type { ServerParts } from './server-parts.ts'

/** Routes of the bench. */
export function benchRoutes(app: Hono, { bench, onError }: ServerParts): void {
  app.get('/api/bench/guards', async (context) => context.json({ guards: await bench.guards() }))

  app.post('/api/bench/judge', async (context) =>
    context.json(await bench.judge((await parsedBody(JudgeSchema, context)) as JudgeRequest)),
  )

  app.post('/api/bench/table', async (context) => {
    const request = (await parsedBody(TableSchema, context)) as TableRequest
    const rows = bench.table(request)
    // Errors of the request become an HTTP error, not an event.
    const first = await rows.next()
    return eventStream<TableEvents>(context, async (send, signal) => {
      if (first.done) return
      await send(first.value[0], first.value[1])
      try {
        for await (const event of rows) {
          if (signal.aborted) return
          await send(event[0], event[1])
        }
      } catch (error) {
        if (!(error instanceof StudioError)) onError(error)
        await send('error', {
          code: 'FAILED',
          message: 'The table was not completed. See the output of the Studio process for the error.',
        })
      }
    })
  })
}
