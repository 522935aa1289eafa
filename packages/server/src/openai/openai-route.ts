import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { EVENT_HEADERS, type ServerEvent, toEvents } from '../events.ts'
import type { Settings } from '../options.ts'
import { type Env, reporter } from '../routes/app.ts'
import { json } from '../routes/schemas.ts'
import { userMessageMetadataOf } from '../routes/user-message-metadata.ts'
import type { AnswerOptions } from './answer.ts'
import { toOpenAIError } from './openai-error.ts'
import { errorResponse, fault, type OpenAIFault } from './openai-fault.ts'

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
  502: { description: 'The model’s provider failed', content: json(OpenAIErrorBody) },
  503: { description: 'The model’s provider is overloaded', content: json(OpenAIErrorBody) },
  504: { description: 'The model’s provider took too long', content: json(OpenAIErrorBody) },
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
    return errorResponse(faultOf(error, context, settings)) as never
  }
}

/** An error in OpenAI's format. Faults that concern the operator are reported, unless the client has left. */
export function faultOf(error: unknown, context: Context, settings: Settings): OpenAIFault {
  const answered = toOpenAIError(error)
  if (answered.isOperators && !context.req.raw.signal.aborted) reporter(context, settings)(error)
  return answered
}

/** What an answer needs of the request, without its thread. */
export function answerOptions(context: Context<Env>, settings: Settings): Omit<AnswerOptions, 'threadId'> {
  const { raw } = context.req
  return {
    settings,
    resourceId: context.get('resourceId'),
    signal: raw.signal,
    userMessageMetadata: () => userMessageMetadataOf(raw, settings),
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

/** The events say themselves how they end: after an error, there is no `[DONE]`. */
export function eventResponse(events: AsyncGenerator<ServerEvent>): Response {
  return new Response(toEvents(events, { last: undefined }), { headers: EVENT_HEADERS })
}
