import { MillraceError } from '@millrace/core'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { StudioError } from '../studio-error.ts'
import { type AccessOptions, limitedBody, ownOrigin, securityHeaders, withToken } from './access.ts'
import { actRoutes } from './act-routes.ts'
import { benchRoutes } from './bench-routes.ts'
import { pageFile } from './page-files.ts'
import { runRoutes } from './run-routes.ts'
import type { ServerParts } from './server-parts.ts'

/** All routes. Errors are JSON; server faults are reported without details. */
export function createApp(parts: ServerParts, gates: AccessOptions): Hono {
  const app = new Hono()
  app.use(securityHeaders())
  app.use(ownOrigin(gates))
  app.use('/api/*', withToken(gates))
  app.use('/api/*', async (context, next) => {
    await next()
    if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store')
  })
  app.use('/api/*', limitedBody(gates))
  app.get('/api/info', (context) => context.json(parts.info))
  runRoutes(app, parts)
  actRoutes(app, parts)
  benchRoutes(app, parts)
  app.all('/api/*', (context) => {
    throw new StudioError(
      'NOT_FOUND',
      `There is no route ${context.req.method} ${context.req.path.slice(0, 200)}.`,
    )
  })
  app.get('*', (context) => pageFile(context, parts.pageFolder))
  app.onError((error) => {
    if (error instanceof StudioError) return error.toResponse()
    if (error instanceof HTTPException) return new StudioError('REQUEST_INVALID', error.message).toResponse()
    if (MillraceError.isInstance(error)) return new StudioError('REFUSED', error.message).toResponse()
    parts.onError(error)
    return new StudioError(
      'FAILED',
      'Studio failed. See the output of its process for the error.',
    ).toResponse()
  })
  return app
}
