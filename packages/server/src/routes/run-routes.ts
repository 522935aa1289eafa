import { createRoute, z } from '@hono/zod-openapi'
import { type App, type RouteContext, reporter } from './app.ts'
import { agentOf, answerRun, UI_HEADERS } from './chat-routes.ts'
import { AgentParams, errors, events, json, RunParams, SuspendedRun, threadId } from './schemas.ts'

const list = createRoute({
  method: 'get',
  path: '/agents/{agent}/runs',
  summary: 'Lists the runs that wait for an approval, a client tool or data',
  request: { params: AgentParams, query: z.object({ threadId: threadId.optional() }) },
  responses: {
    200: { description: 'The runs, newest last', content: json(z.object({ runs: z.array(SuspendedRun) })) },
    ...errors,
  },
})

const resume = createRoute({
  method: 'post',
  path: '/agents/{agent}/runs/{runId}/resume',
  summary: 'Resumes a run with the data it waits for. Streams the answer',
  request: {
    params: RunParams,
    body: {
      required: true,
      content: json(z.object({ data: z.unknown().optional() }).openapi('ResumeRequest')),
    },
  },
  responses: { 200: events, ...errors },
})

const release = createRoute({
  method: 'delete',
  path: '/agents/{agent}/runs/{runId}',
  summary: 'Releases a suspended run, so that it cannot be resumed',
  request: { params: RunParams },
  responses: {
    200: { description: 'Whether it was still waiting', content: json(z.object({ released: z.boolean() })) },
    ...errors,
  },
})

/** Lists, resumes and releases suspended runs. */
export function runRoutes(app: App, { settings, answers }: RouteContext): void {
  app.openapi(list, async (context) => {
    const agent = agentOf(settings.agents, context.req.valid('param').agent)
    const { threadId } = context.req.valid('query')
    const runs = await agent.suspendedRuns({
      resourceId: context.get('resourceId'),
      ...(threadId !== undefined && { threadId }),
    })
    return context.json(
      {
        runs: runs.map(({ runId, threadId, payload, expiresAt }) => ({
          runId,
          ...(threadId !== undefined && { threadId }),
          payload,
          expiresAt: new Date(expiresAt).toISOString(),
        })),
      },
      200,
    )
  })

  app.openapi(resume, async (context) => {
    const { agent: name, runId } = context.req.valid('param')
    const agent = agentOf(settings.agents, name)
    const { data } = context.req.valid('json')
    const resourceId = context.get('resourceId')
    const waiting = (await agent.suspendedRuns({ resourceId })).find((run) => run.runId === runId)
    const conversation = { agent: name, resourceId, threadId: waiting?.threadId ?? runId }
    const stream = await answers.begin(conversation, {
      open: (abortSignal) => answerRun(agent.resume(runId, data, { resourceId, abortSignal })),
      onError: reporter(context, settings),
    })
    return new Response(stream, { headers: UI_HEADERS })
  })

  app.openapi(release, async (context) => {
    const { agent, runId } = context.req.valid('param')
    const released = await agentOf(settings.agents, agent).release(runId, {
      resourceId: context.get('resourceId'),
    })
    return context.json({ released }, 200)
  })
}
