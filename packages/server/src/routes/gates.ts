import { Halt, isRecord, ProcessorPipeline, RequestContext, TripWire } from '@millrace/core'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import type { Settings } from '../options.ts'
import { type App, type Env, refuse } from './app.ts'
import { traced } from './traced.ts'

/** Routes without sign-in: they tell nothing about callers. */
const OPEN = ['/health', '/ready', '/openapi.json']

/** Routes that begin a run or call a model. */
const RUNS = [
  '/agents/:agent/chat',
  '/agents/:agent/runs/:runId/resume',
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
]

/** What every request passes before its route, in this order. */
export function gates(app: App, settings: Settings, { isClosing }: { isClosing: () => boolean }): void {
  const { limits, rateLimit } = settings
  app.use(requestId())
  app.use(async (context, next) => {
    await next()
    // Responses that routes made by themselves have not got it yet.
    context.header('x-request-id', context.get('requestId'))
  })
  app.use(traced())
  if (settings.cors.length > 0) app.use(cors({ origin: [...settings.cors], exposeHeaders: ['x-request-id'] }))
  app.use(
    passes([closing(isClosing), headerLimit(limits.maxHeaderBytes), authenticated(settings), body(limits)]),
  )
  if (rateLimit) app.on('POST', RUNS, admitted(rateLimit, settings))
}

/** Refuses a request with a response, or lets it pass. */
type Check = (context: Context<Env>) => Response | undefined | Promise<Response | undefined>

/** Several checks as one middleware: one each would cost every request a few promises more. */
function passes(checks: readonly Check[]): MiddlewareHandler<Env> {
  return async (context, next) => {
    for (const check of checks) {
      const checked = check(context)
      const refusal = checked instanceof Promise ? await checked : checked
      if (refusal) return refusal
    }
    return next()
  }
}

function closing(isClosing: () => boolean): Check {
  return (context) =>
    isClosing() && context.req.path !== '/health'
      ? refuse(context, 503, 'SERVER_CLOSING', 'The server is closing. Try again.')
      : undefined
}

function headerLimit(maxBytes: number): Check {
  return (context) => {
    let bytes = context.req.url.length
    for (const [name, value] of context.req.raw.headers) bytes += name.length + value.length
    if (bytes <= maxBytes) return undefined
    return refuse(
      context,
      431,
      'HEADERS_TOO_LARGE',
      `The address and headers of a request may have ${maxBytes} bytes.`,
    )
  }
}

function authenticated({ authenticate }: Settings): Check {
  return async (context) => {
    if (OPEN.includes(context.req.path)) return undefined
    const caller = await authenticate(context.req.raw)
    if (caller instanceof Response) return caller
    if (!caller) return refuse(context, 401, 'UNAUTHENTICATED', 'Sign in first.')
    if (typeof caller.resourceId !== 'string' || caller.resourceId === '') {
      throw new TypeError(
        'authenticate() returned no resourceId. Return { resourceId } with a non-empty string, or undefined.',
      )
    }
    context.set('resourceId', caller.resourceId)
    return undefined
  }
}

/** Reads the body, which is then there for the route: no more than the limit of it, and no longer than it may take. */
function body({ maxBodyBytes, bodyTimeoutMs }: Settings['limits']): Check {
  const tooLarge = (context: Context): Response =>
    refuse(context, 413, 'REQUEST_TOO_LARGE', `A body may have ${maxBodyBytes} bytes.`)
  const counted = bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge })
  const read = async (context: Context<Env>): Promise<Response | undefined> => {
    const { req } = context
    const text = async (): Promise<void> => void (await req.text())
    const length = req.header('content-length')
    if (length === undefined || req.header('transfer-encoding') !== undefined) {
      return (await counted(context, text)) ?? undefined
    }
    // Counting would make a stream of it, which costs the memory of a small answer.
    if (!(Number(length) <= maxBodyBytes)) return tooLarge(context)
    await text()
    return undefined
  }
  return async (context) => {
    if (context.req.method === 'GET') return undefined
    const reading = read(context).catch(() =>
      refuse(context, 400, 'REQUEST_INCOMPLETE', 'The connection ended before the body did.'),
    )
    const refusal = await within(reading, bodyTimeoutMs)
    if (refusal === LATE) {
      return refuse(context, 408, 'REQUEST_TOO_SLOW', `A body must arrive within ${bodyTimeoutMs} ms.`)
    }
    return refusal
  }
}

const LATE = Symbol('late')

/** What the work gives, or `LATE`. */
async function within<RESULT>(work: Promise<RESULT>, milliseconds: number): Promise<RESULT | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, milliseconds, LATE)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Asks the limit of requests, before anything is begun for the caller. */
function admitted(
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
      if (TripWire.isInstance(error) || error instanceof Halt) return tooMany(context, error)
      throw error
    }
    return next()
  }
}

function tooMany(context: Context<Env>, { reason, metadata }: TripWire | Halt): Response {
  const wait = isRecord(metadata) ? metadata.retryAfterMs : undefined
  const message = reason ?? 'The limit is reached. Try again later.'
  const response = refuse(context, 429, 'RATE_LIMITED', message)
  if (typeof wait === 'number') response.headers.set('retry-after', String(Math.ceil(wait / 1_000)))
  return response
}
