import { OpenAPIHono } from '@hono/zod-openapi'
import { MillraceError } from '@millrace/core'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { toOpenAIError } from '../openai/openai-error.ts'
import { errorResponse, fault } from '../openai/openai-fault.ts'
import type { Caller, Settings } from '../options.ts'
import type { AnswerStreams } from '../streams/answer-streams.ts'

/** The dependencies of every route. */
export interface RouteContext {
  settings: Settings
  answers: AnswerStreams
}

/** Set by middleware, before any route. */
export interface Env {
  Variables: { resourceId: string; caller: Caller; requestId: string }
}

export type App = OpenAPIHono<Env>

/** An error response `{ error: { code, message } }`. */
export function refusal(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status })
}

/** An error response in the format of the route: OpenAI's under `/v1`. */
export function refuse(context: Context, status: number, code: string, message: string): Response {
  if (!context.req.path.startsWith('/v1/')) return refusal(status, code, message)
  const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error'
  return Response.json(fault(status, type, message, { code }).body, { status })
}

export function newApp(): App {
  return new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (result.success) return undefined
      const [issue] = result.error.issues
      const place = issue?.path.join('.') || result.target
      return refusal(400, 'REQUEST_INVALID', `${place}: ${issue?.message ?? 'is not valid'}.`)
    },
  })
}

/** An error response that can be thrown. */
export class Refused extends Error {
  readonly response: Response

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'Refused'
    this.response = refusal(status, code, message)
  }
}

/** The response for an error. Clients get no details of server faults. */
export function toRefusal(error: unknown, context: Context, settings: Settings): Response {
  const report = reporter(context, settings)
  if (error instanceof Refused) return error.response
  if (error instanceof HTTPException) return refuse(context, error.status, 'REQUEST_INVALID', error.message)
  if (!MillraceError.isInstance(error)) {
    report(error)
    return refuse(context, 500, 'SERVER_FAILED', 'The server failed.')
  }
  if (error.statusCode >= 500) report(error)
  return context.req.path.startsWith('/v1/') ? errorResponse(toOpenAIError(error)) : error.toResponse()
}

/** Reports server faults of a request, with its id. */
export function reporter(context: Context, { onError }: Settings): (error: unknown) => void {
  const request = context.req.raw
  const requestId = context.get('requestId')
  return (error) => onError(error, request, requestId)
}
