import type { Hono } from 'hono'
import { exportHtml } from '../export/export-html.ts'
import { exportJson } from '../export/export-json.ts'
import type { LiveEvents, RunEvents } from '../wire.ts'
import { changesOf } from './changes.ts'
import { eventStream } from './events.ts'
import { followRun } from './follow-run.ts'
import {
  ChunksQuerySchema,
  ExportQuerySchema,
  jsonBody,
  parsed,
  RunQuerySchema,
  RunsQuerySchema,
} from './requests.ts'
import type { ServerParts } from './server-parts.ts'

/** Routes for recorded runs. */
export function runRoutes(app: Hono, { library, actions, importRun }: ServerParts): void {
  app.get('/api/runs', async (context) => {
    const { limit, ...query } = parsed(RunsQuerySchema, context.req.query())
    return context.json(await library.list({ limit, ...defined(query) }))
  })

  app.get('/api/runs/:runId', async (context) => {
    const { reveal } = parsed(RunQuerySchema, context.req.query())
    return context.json(await library.detail(context.req.param('runId'), { revealed: reveal === '1' }))
  })

  app.get('/api/runs/:runId/chunks', async (context) => {
    const { reveal, from, limit } = parsed(ChunksQuerySchema, context.req.query())
    const runId = context.req.param('runId')
    return context.json(await library.chunks(runId, { from, limit, revealed: reveal === '1' }))
  })

  app.get('/api/runs/:runId/export', async (context) => {
    const { reveal, format } = parsed(ExportQuerySchema, context.req.query())
    const runId = context.req.param('runId')
    const revealed = reveal === '1'
    const body =
      format === 'html'
        ? exportHtml(await library.detail(runId, { revealed }))
        : await exportJson(library, runId, { revealed })
    const name = `run-${runId.replace(/[^\w-]/g, '').slice(0, 40)}.${format}`
    return new Response(body, {
      headers: {
        'content-type': format === 'html' ? 'text/html; charset=utf-8' : 'application/json',
        'content-disposition': `attachment; filename="${name}"`,
      },
    })
  })

  app.delete('/api/runs/:runId', (context) =>
    context.json({ deleted: library.delete(context.req.param('runId')) }),
  )

  app.post('/api/import', async (context) => context.json({ runId: importRun(await jsonBody(context)) }))

  app.get('/api/runs/:runId/events', (context) => {
    const { reveal } = parsed(RunQuerySchema, context.req.query())
    const runId = context.req.param('runId')
    library.rowOf(runId)
    return eventStream<RunEvents>(context, (send, signal) =>
      followRun(library, runId, send, { signal, revealed: reveal === '1' }),
    )
  })

  app.get('/api/events', (context) =>
    eventStream<LiveEvents>(context, async (send, signal) => {
      const changes = changesOf(library, { signal })
      const countWaiting = async (): Promise<void> => {
        if (actions) await send('suspended', { count: (await actions.suspended()).length })
      }
      await countWaiting()
      for await (const { changed, deleted } of changes) {
        for (const runId of deleted) await send('deleted', { runId })
        let mayWait = false
        for (const runId of changed) {
          const summary = await library.summary(runId)
          if (!summary) continue
          await send('run', summary)
          mayWait ||= summary.state === 'suspended' || summary.resumedFrom !== undefined
        }
        if (mayWait) await countWaiting()
      }
    }),
  )
}

/** Without the keys that are `undefined`. */
function defined<VALUES extends object>(
  values: VALUES,
): { [KEY in keyof VALUES]?: NonNullable<VALUES[KEY]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
