import {
  context as active,
  type ProxyTracerProvider,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Env } from './app.ts'

/**
 * Starts a server span for each request, with the request's id; the spans of its run are inside. The parent
 * is the active span, if there is one, else the client's `traceparent`. Without an OpenTelemetry SDK, nothing
 * is traced.
 */
export function tracing(): MiddlewareHandler<Env> {
  const tracer = trace.getTracer(SCOPE)
  return async (context, next) => {
    if (!isTraced()) return next()
    const { method, raw } = context.req
    const here = active.active()
    const parent = trace.getSpan(here) ? here : propagation.extract(here, raw.headers, HEADERS)
    const span = tracer.startSpan(
      method,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': method,
          'http.request.header.x-request-id': [context.get('requestId')],
        },
      },
      parent,
    )
    if (!span.isRecording()) return next()
    try {
      await active.with(trace.setSpan(parent, span), next)
    } finally {
      const route = routePath(context, -1)
      const { status } = context.res
      span.updateName(`${method} ${route}`)
      span.setAttributes({ 'http.route': route, 'http.response.status_code': status })
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
  }
}

/** Without an SDK, the API's provider has no delegate. */
function isTraced(): boolean {
  const provider = trace.getTracerProvider() as Partial<ProxyTracerProvider>
  return !provider.getDelegateTracer || provider.getDelegateTracer(SCOPE) !== undefined
}

const SCOPE = '@millrace/server'

const HEADERS = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
}
