import { createRoute, z } from '@hono/zod-openapi'
import type { App, RouteContext } from '../routes/app.ts'
import { json } from '../routes/schemas.ts'

const Model = z
  .object({ id: z.string(), object: z.literal('model'), created: z.number(), owned_by: z.string() })
  .openapi('Model')

const route = createRoute({
  method: 'get',
  path: '/v1/models',
  summary: 'Lists the agents, proxied models and embedding models',
  responses: {
    200: {
      description: 'The list',
      content: json(z.object({ object: z.literal('list'), data: z.array(Model) })),
    },
  },
})

export function modelRoutes(app: App, { settings }: RouteContext): void {
  const created = Math.floor(Date.now() / 1_000)
  const { agents, proxy, embeddings } = settings
  const data = [agents, proxy, embeddings].flatMap(Object.keys).map((id) => ({
    id,
    object: 'model' as const,
    created,
    owned_by: 'millrace',
  }))
  app.openapi(route, (context) => context.json({ object: 'list' as const, data }, 200))
}
