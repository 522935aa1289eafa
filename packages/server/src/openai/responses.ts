import { createRoute, z } from '@hono/zod-openapi'
import type { ServerEvent } from '../events.ts'
import type { App, RouteContext } from '../routes/app.ts'
import { json } from '../routes/schemas.ts'
import { type AnswerPart, answer } from './answer.ts'
import { begun } from './begun-answer.ts'
import type { OpenAIFault } from './openai-fault.ts'
import {
  answerOptions,
  eventResponse,
  faultOf,
  openAIErrors,
  refuseInvalid,
  respond,
} from './openai-route.ts'
import { ResponseEvents } from './response.ts'
import { ResponsesRequest, responsesCall } from './responses-request.ts'

const route = createRoute({
  method: 'post',
  path: '/v1/responses',
  summary: 'OpenAI’s responses, answered by an agent or by a proxied model',
  request: { body: { required: true, content: json(ResponsesRequest) } },
  responses: {
    200: {
      description: 'The response; with `stream`, its events',
      content: { ...json(z.looseObject({})), 'text/event-stream': { schema: z.string() } },
    },
    ...openAIErrors,
  },
})

export function responses(app: App, { settings }: RouteContext): void {
  app.openapi(
    route,
    (context) =>
      respond(context, settings, async () => {
        const request = context.req.valid('json')
        const events = new ResponseEvents(request)
        const parts = await answer(responsesCall(request), {
          threadId: events.id,
          ...answerOptions(context, settings),
        })
        if (!request.stream) return Response.json(await wholeResponse(events, parts))
        return eventResponse(named(events, await begun(parts), (error) => faultOf(error, context, settings)))
      }),
    refuseInvalid,
  )
}

async function wholeResponse(events: ResponseEvents, parts: AsyncGenerator<AnswerPart>): Promise<object> {
  let whole: object = {}
  for await (const { response } of events.of(parts)) whole = response ?? whole
  return whole
}

async function* named(
  events: ResponseEvents,
  parts: AsyncGenerator<AnswerPart>,
  faultOf: (error: unknown) => OpenAIFault,
): AsyncGenerator<ServerEvent> {
  try {
    for await (const event of events.of(parts)) yield { event: event.type, data: JSON.stringify(event) }
  } catch (error) {
    const { body } = faultOf(error)
    const { code, message, param } = body.error
    // `message` as the protocol specifies it, and `error`, without which some clients do not throw.
    const event = events.event('error', { code, message, param, ...body })
    yield { event: 'error', data: JSON.stringify(event) }
  }
}
