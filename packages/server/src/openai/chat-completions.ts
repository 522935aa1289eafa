import { createRoute, z } from '@hono/zod-openapi'
import { type App, type RouteContext, reporter } from '../routes/app.ts'
import { json } from '../routes/schemas.ts'
import { answer } from './answer.ts'
import { ChatRequest, chatCall } from './chat-request.ts'
import { completion, completionChunks, newHead } from './completion.ts'
import { toOpenAIError } from './openai-error.ts'
import { eventResponse, openAIErrors, refuseInvalid, respond } from './openai-route.ts'

const route = createRoute({
  method: 'post',
  path: '/v1/chat/completions',
  summary: 'OpenAI’s chat completions, answered by an agent or by a proxied model',
  request: { body: { required: true, content: json(ChatRequest) } },
  responses: {
    200: {
      description: 'The completion; with `stream`, its chunks as server-sent events',
      content: { ...json(z.looseObject({})), 'text/event-stream': { schema: z.string() } },
    },
    ...openAIErrors,
  },
})

export function chatCompletions(app: App, { settings }: RouteContext): void {
  app.openapi(
    route,
    (context) =>
      respond(context, settings, async () => {
        const request = context.req.valid('json')
        const head = newHead(request.model)
        const { signal } = context.req.raw
        const resourceId = context.get('resourceId')
        const parts = await answer(chatCall(request), { settings, resourceId, threadId: head.id, signal })
        if (!request.stream) return Response.json(await completion(head, parts))
        const withUsage = Boolean(request.stream_options?.include_usage)
        const chunks = completionChunks(head, parts, { withUsage })
        return eventResponse(textsOf(chunks, reporter(context, settings)))
      }),
    refuseInvalid,
  )
}

/** The status has been sent already. OpenAI's clients throw an event with the field `error`. */
async function* textsOf(
  chunks: AsyncGenerator<object>,
  onFault: (error: unknown) => void,
): AsyncGenerator<string> {
  try {
    for await (const chunk of chunks) yield JSON.stringify(chunk)
  } catch (error) {
    const { status, body } = toOpenAIError(error)
    if (status >= 500) onFault(error)
    yield JSON.stringify(body)
  }
}
