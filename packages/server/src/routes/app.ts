import { OpenAPIHono } from '@hono/zod-openapi'
import { MillraceError } from '@millrace/core'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Settings } from '../options.ts'
import type { AnswerStreams } from '../streams/answer-streams.ts'

/** What every route is given. */
export interface Parts {
  settings: Settings
  answers: AnswerStreams
}

/** Set by the authentication, before any route. */
interface Env {
  Variables: { resourceId: string }
}

export type App = OpenAPIHono<Env>

/** A request that cannot be answered, as `{ error: { code, message } }`. */
export function refusal(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status })
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

/** A request that cannot be answered, to be thrown where it is found out. */
export class Refused extends Error {
  readonly response: Response

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'Refused'
    this.response = refusal(status, code, message)
  }
}

/** What a client is told of an error: nothing of what the server is at fault for. */
export function toRefusal(error: unknown, context: Context, { onError }: Settings): Response {
  if (MillraceError.isInstance(error)) {
    if (error.statusCode >= 500) onError(error, context.req.raw)
    return error.toResponse()
  }
  if (error instanceof Refused) return error.response
  if (error instanceof HTTPException) return refusal(error.status, 'REQUEST_INVALID', error.message)
  onError(error, context.req.raw)
  return refusal(500, 'SERVER_FAILED', 'The server failed.')
}

/** Reports faults of a request whose answer goes on without them. */
export function reporter(context: Context, { onError }: Settings): (error: unknown) => void {
  const request = context.req.raw
  return (error) => onError(error, request)
}
