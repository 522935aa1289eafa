import { createRoute, z } from '@hono/zod-openapi'
import type { UIMessageChunk } from '@millrace/core'
import { waitingCallsOf } from '@millrace/core/recording'
import { type App, Refused, type RouteContext, reporter } from './app.ts'
import { callerOptions, ownerOf } from './approver.ts'
import { agentOf, answerRun, UI_HEADERS } from './chat-routes.ts'
import { AgentParams, errors, events, json, RunParams, SuspendedRun, threadId } from './schemas.ts'

/** The owner of a run that the caller may approve. Default: the caller. */
const OwnerQuery = z.object({ resourceId: z.string().min(1).max(256).optional() })

const list = createRoute({
  method: 'get',
  path: '/agents/{agent}/runs',
  summary: 'Lists the runs that wait for an approval, a client tool or data',
  request: { params: AgentParams, query: OwnerQuery.extend({ threadId: threadId.optional() }) },
  responses: {
    200: { description: 'The runs, newest last', content: json(z.object({ runs: z.array(SuspendedRun) })) },
    ...errors,
  },
})

const resume = createRoute({
  method: 'post',
  path: '/agents/{agent}/runs/{runId}/resume',
  summary: 'Resumes a run with the data it waits for. Streams the answer to the owner of the run',
  request: {
    params: RunParams,
    query: OwnerQuery,
    body: {
      required: true,
      content: json(z.object({ data: z.unknown().optional() }).openapi('ResumeRequest')),
    },
  },
  responses: {
    200: events,
    202: {
      description: 'The answer was taken. The owner of the run gets the stream',
      content: json(z.object({ accepted: z.literal(true) })),
    },
    ...errors,
  },
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
    const { threadId, resourceId: asked } = context.req.valid('query')
    const resourceId = ownerOf(context, settings, asked)
    const runs = await agent.suspendedRuns({ resourceId, ...(threadId !== undefined && { threadId }) })
    const isOwner = resourceId === context.get('resourceId')
    const { mayAnswer } = callerOptions(context, settings)
    const shown = await Promise.all(
      runs.map(async (run) => {
        if (isOwner) return [run]
        const calls = waitingCallsOf(run.payload)
        const may = await Promise.all(calls.map((call) => mayAnswer({ call, run, by: undefined })))
        const toolCalls = calls.filter((_, index) => may[index])
        return toolCalls.length > 0 ? [{ ...run, payload: { type: 'tool-calls', toolCalls } }] : []
      }),
    )
    return context.json(
      {
        runs: shown.flat().map(({ runId, threadId, payload, expiresAt }) => ({
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
    const resourceId = ownerOf(context, settings, context.req.valid('query').resourceId)
    const waiting = (await agent.suspendedRuns({ resourceId })).find((run) => run.runId === runId)
    const isOwner = resourceId === context.get('resourceId')
    if (!isOwner && (!waiting || waiting.interrupted || waitingCallsOf(waiting.payload).length === 0))
      throw new Refused(404, 'RUN_NOT_FOUND', `There is no run '${runId}' that this caller may approve.`)
    const options = { resourceId, ...callerOptions(context, settings) }
    const taken = Promise.withResolvers<void>()
    const conversation = { agent: name, resourceId, threadId: waiting?.threadId ?? runId }
    const stream = await answers.begin(conversation, {
      open: (abortSignal) => {
        const run = agent.resume(runId, data, { ...options, abortSignal })
        const answer = answerRun(run)
        if (isOwner) return answer
        run.result.catch(taken.reject)
        return { ...answer, chunks: notingStart(answer.chunks, taken.resolve) }
      },
      onError: reporter(context, settings),
    })
    if (isOwner) return new Response(stream, { headers: UI_HEADERS })
    // The answer is for the owner of the run, who reads it by the route of the chat.
    void stream.pipeTo(new WritableStream()).catch(() => {})
    await taken.promise
    return context.json({ accepted: true as const }, 202)
  })

  app.openapi(release, async (context) => {
    const { agent, runId } = context.req.valid('param')
    const released = await agentOf(settings.agents, agent).release(runId, {
      resourceId: context.get('resourceId'),
    })
    return context.json({ released }, 200)
  })
}

/** Calls `onStarted` when the run emits something after its start: it has taken the answer. */
async function* notingStart(
  chunks: AsyncIterable<UIMessageChunk>,
  onStarted: () => void,
): AsyncGenerator<UIMessageChunk> {
  for await (const chunk of chunks) {
    if (chunk.type !== 'start' && chunk.type !== 'error') onStarted()
    yield chunk
  }
}
