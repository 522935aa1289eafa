import { createRoute, z } from '@hono/zod-openapi'
import type { App, RouteContext } from '../routes/app.ts'
import { json } from '../routes/schemas.ts'
import { answer } from './answer.ts'
import { begun } from './begun-answer.ts'
import { ChatRequest, chatCall } from './chat-request.ts'
import { completion, completionChunks, newHead } from './completion.ts'
import type { OpenAIFault } from './openai-fault.ts'
import {
  answerOptions,
  eventResponse,
  faultOf,
  openAIErrors,
  refuseInvalid,
  respond,
} from './openai-route.ts'

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
        const parts = await answer(chatCall(request), {
          threadId: head.id,
          ...answerOptions(context, settings),
        })
        if (!request.stream) return Response.json(await completion(head, parts))
        const withUsage = Boolean(request.stream_options?.include_usage)
        const chunks = completionChunks(head, await begun(parts), { withUsage })
        return eventResponse(textsOf(chunks, (error) => faultOf(error, context, settings)))
      }),
    refuseInvalid,
  )
}

/** After the status was sent, an error is an event with the field `error`, which OpenAI's clients throw. */
async function* textsOf(
  chunks: AsyncGenerator<object>,
  faultOf: (error: unknown) => OpenAIFault,
): AsyncGenerator<string> {
  try {
    for await (const chunk of chunks) yield JSON.stringify(chunk)
    yield '[DONE]'
  } catch (error) {
    yield JSON.stringify(faultOf(error).body)
  }
}
