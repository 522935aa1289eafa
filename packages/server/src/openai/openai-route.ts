import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { EVENT_HEADERS, type EventOptions, type ServerEvent, toEvents } from '../events.ts'
import type { Settings } from '../options.ts'
import { reporter } from '../routes/app.ts'
import { json } from '../routes/schemas.ts'
import { errorResponse, fault, toOpenAIError } from './openai-error.ts'

const OpenAIErrorBody = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .openapi('OpenAIError')

/** The error responses of all routes of the protocol. */
export const openAIErrors = {
  400: { description: 'The request is not valid, or was rejected', content: json(OpenAIErrorBody) },
  401: { description: 'The caller is not signed in', content: json(OpenAIErrorBody) },
  404: { description: 'There is no such model', content: json(OpenAIErrorBody) },
  413: { description: 'The body is too large', content: json(OpenAIErrorBody) },
  429: { description: 'A limit is reached', content: json(OpenAIErrorBody) },
} as const

/** Sends what `work` returns, or its error in OpenAI's format. Server faults are reported. */
export async function respond(
  context: Context,
  settings: Settings,
  work: () => Promise<Response>,
): Promise<never> {
  try {
    return (await work()) as never
  } catch (error) {
    const answered = toOpenAIError(error)
    if (answered.status >= 500) reporter(context, settings)(error)
    return errorResponse(answered) as never
  }
}

/** For request bodies that do not match the schema. */
export function refuseInvalid(
  result: { success: true } | { success: false; error: z.ZodError },
): never | undefined {
  if (result.success) return undefined
  const [issue] = result.error.issues
  const param = issue?.path.join('.') || null
  const message = issue?.message ?? 'The request is not valid.'
  return errorResponse(fault(400, 'invalid_request_error', message, { param })) as never
}

export function eventResponse(events: AsyncGenerator<ServerEvent>, options?: EventOptions): Response {
  return new Response(toEvents(events, options), { headers: EVENT_HEADERS })
}
