import { Halt, isRecord, ProcessorPipeline, RequestContext, TripWire } from '@millrace/core'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import type { Settings } from '../options.ts'
import { type App, type Env, refuse } from './app.ts'
import { tracing } from './tracing.ts'

/** Routes without authentication: they return nothing about callers. */
const OPEN_ROUTES = ['/health', '/ready', '/openapi.json']

/** Routes that start a run or call a model. */
const RATE_LIMITED_ROUTES = [
  '/agents/:agent/chat',
  '/agents/:agent/runs/:runId/resume',
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
]

/** The middleware of every request, in this order. */
export function addMiddleware(
  app: App,
  settings: Settings,
  { isClosing }: { isClosing: () => boolean },
): void {
  const { limits, rateLimit } = settings
  app.use(requestId())
  app.use(async (context, next) => {
    await next()
    // Sets the header on responses that a route created itself.
    context.header('x-request-id', context.get('requestId'))
  })
  app.use(tracing())
  if (settings.cors.length > 0) app.use(cors({ origin: [...settings.cors], exposeHeaders: ['x-request-id'] }))
  app.use(
    combined([
      closingCheck(isClosing),
      headerCheck(limits.maxHeaderBytes),
      authenticationCheck(settings),
      body(limits),
    ]),
  )
  if (rateLimit) app.on('POST', RATE_LIMITED_ROUTES, rateLimited(rateLimit, settings))
}

/** Returns a response to refuse the request, or nothing to continue. */
type Check = (context: Context<Env>) => Response | undefined | Promise<Response | undefined>

/** Runs several checks as one middleware: a middleware each would cost every request a few promises more. */
function combined(checks: readonly Check[]): MiddlewareHandler<Env> {
  return async (context, next) => {
    for (const check of checks) {
      const checked = check(context)
      const refusal = checked instanceof Promise ? await checked : checked
      if (refusal) return refusal
    }
    return next()
  }
}

function closingCheck(isClosing: () => boolean): Check {
  return (context) =>
    isClosing() && context.req.path !== '/health'
      ? refuse(context, 503, 'SERVER_CLOSING', 'The server is closing. Try again.')
      : undefined
}

function headerCheck(maxBytes: number): Check {
  return (context) => {
    let bytes = context.req.url.length
    for (const [name, value] of context.req.raw.headers) bytes += name.length + value.length
    if (bytes <= maxBytes) return undefined
    return refuse(
      context,
      431,
      'HEADERS_TOO_LARGE',
      `The URL and headers of the request are larger than ${maxBytes} bytes. Send fewer or shorter headers.`,
    )
  }
}

function authenticationCheck({ authenticate }: Settings): Check {
  return async (context) => {
    if (OPEN_ROUTES.includes(context.req.path)) return undefined
    const caller = await authenticate(context.req.raw)
    if (caller instanceof Response) return caller
    if (!caller) return refuse(context, 401, 'UNAUTHENTICATED', 'Sign in first.')
    if (typeof caller.resourceId !== 'string' || caller.resourceId === '') {
      throw new TypeError(
        'authenticate() returned no resourceId. Return { resourceId } with a non-empty string, or undefined.',
      )
    }
    const { userId } = caller
    if (userId !== undefined && (typeof userId !== 'string' || userId === '')) {
      throw new TypeError(
        'authenticate() returned an invalid userId. Return a non-empty string, or leave it out.',
      )
    }
    context.set('caller', caller)
    context.set('resourceId', caller.resourceId)
    return undefined
  }
}

/** Reads the body within the limits of size and time. Routes then get it from the cache. */
function body({ maxBodyBytes, bodyTimeoutMs }: Settings['limits']): Check {
  const tooLarge = (context: Context): Response =>
    refuse(
      context,
      413,
      'REQUEST_TOO_LARGE',
      `The body is larger than ${maxBodyBytes} bytes. Send a smaller request.`,
    )
  const limited = bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge })
  const read = async (context: Context<Env>): Promise<Response | undefined> => {
    const { req } = context
    const text = async (): Promise<void> => void (await req.text())
    const length = req.header('content-length')
    if (length === undefined || req.header('transfer-encoding') !== undefined) {
      return (await limited(context, text)) ?? undefined
    }
    // Counting bytes creates a stream, which takes as much memory as a small answer.
    if (!(Number(length) <= maxBodyBytes)) return tooLarge(context)
    await text()
    return undefined
  }
  return async (context) => {
    if (context.req.method === 'GET') return undefined
    const reading = read(context).catch(() =>
      refuse(context, 400, 'REQUEST_INCOMPLETE', 'The connection closed before the whole body arrived.'),
    )
    const refusal = await withTimeout(reading, bodyTimeoutMs)
    if (refusal === TIMED_OUT) {
      return refuse(
        context,
        408,
        'REQUEST_TOO_SLOW',
        `The body did not arrive within ${bodyTimeoutMs} ms. Send the request again.`,
      )
    }
    return refusal
  }
}

const TIMED_OUT = Symbol('late')

/** The result of the work, or `TIMED_OUT` after the timeout. */
async function withTimeout<RESULT>(
  work: Promise<RESULT>,
  milliseconds: number,
): Promise<RESULT | typeof TIMED_OUT> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(resolve, milliseconds, TIMED_OUT)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Applies the rate limit, before any work starts for the caller. */
function rateLimited(
  rateLimit: NonNullable<Settings['rateLimit']>,
  { memory }: Settings,
): MiddlewareHandler<Env> {
  const compiled = new ProcessorPipeline([rateLimit])
  return async (context, next) => {
    const requestContext = new RequestContext({}, { resourceId: context.get('resourceId') })
    const counters = memory?.storage
    const pipeline = new ProcessorPipeline(compiled, { requestContext, ...(counters && { counters }) })
    try {
      await pipeline.processInput('', { trusted: true })
    } catch (error) {
      if (TripWire.isInstance(error) || error instanceof Halt) return tooManyRequests(context, error)
      throw error
    }
    return next()
  }
}

function tooManyRequests(context: Context<Env>, { reason, metadata }: TripWire | Halt): Response {
  const wait = isRecord(metadata) ? metadata.retryAfterMs : undefined
  const message = reason ?? 'The rate limit is reached. Try again later.'
  const response = refuse(context, 429, 'RATE_LIMITED', message)
  if (typeof wait === 'number') response.headers.set('retry-after', String(Math.ceil(wait / 1_000)))
  return response
}
