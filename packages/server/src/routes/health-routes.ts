import { createRoute, z } from '@hono/zod-openapi'
import { type App, type RouteContext, refusal, reporter } from './app.ts'
import { ErrorBody, json } from './schemas.ts'

const Status = z.object({ status: z.literal('ok') })

const health = createRoute({
  method: 'get',
  path: '/health',
  summary: 'Whether the process answers',
  responses: { 200: { description: 'It does', content: json(Status) } },
})

const ready = createRoute({
  method: 'get',
  path: '/ready',
  summary: 'Whether the store answers too',
  responses: {
    200: { description: 'It does', content: json(Status) },
    503: { description: 'The store does not answer', content: json(ErrorBody) },
  },
})

/** Health checks for process supervisors, without authentication. They return nothing about callers. */
export function healthRoutes(app: App, { settings }: RouteContext): void {
  app.openapi(health, (context) => context.json({ status: 'ok' as const }, 200))
  app.openapi(ready, async (context) => {
    try {
      await settings.streams?.readStream({ runId: 'ready', limit: 1 })
      return context.json({ status: 'ok' as const }, 200)
    } catch (error) {
      reporter(context, settings)(error)
      return refusal(503, 'STORAGE_UNAVAILABLE', 'The store does not answer.') as never
    }
  })
}
