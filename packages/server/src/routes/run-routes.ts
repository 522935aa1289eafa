import { createRoute, z } from '@hono/zod-openapi'
import { type App, type Parts, reporter } from './app.ts'
import { agentOf, answerRun, UI_HEADERS } from './chat-routes.ts'
import { AgentParams, errors, events, json, RunParams, SuspendedRun, threadId } from './schemas.ts'

const list = createRoute({
  method: 'get',
  path: '/agents/{agent}/runs',
  summary: 'The runs that wait for an approval, a tool of the client, or data',
  request: { params: AgentParams, query: z.object({ threadId: threadId.optional() }) },
  responses: {
    200: { description: 'The newest last', content: json(z.object({ runs: z.array(SuspendedRun) })) },
    ...errors,
  },
})

const resume = createRoute({
  method: 'post',
  path: '/agents/{agent}/runs/{runId}/resume',
  summary: 'Resumes a run with what it waits for; the answer is streamed',
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
  summary: 'Gives a suspended run up',
  request: { params: RunParams },
  responses: {
    200: { description: 'Whether it was still waiting', content: json(z.object({ released: z.boolean() })) },
    ...errors,
  },
})

/** Suspended runs: what waits, and the answers to it. */
export function runRoutes(app: App, { settings, answers }: Parts): void {
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
    const place = { agent: name, resourceId, threadId: waiting?.threadId ?? runId }
    const stream = await answers.begin(place, {
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
