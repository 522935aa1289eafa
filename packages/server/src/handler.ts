import { requireOptions } from '@millrace/core'
import { chatCompletions } from './openai/chat-completions.ts'
import { embeddings } from './openai/embeddings.ts'
import { modelRoutes } from './openai/model-routes.ts'
import { responses } from './openai/responses.ts'
import { type HandlerOptions, settingsOf } from './options.ts'
import { newApp, refusal, refuse, toRefusal } from './routes/app.ts'
import { chatRoutes } from './routes/chat-routes.ts'
import { healthRoutes } from './routes/health-routes.ts'
import { addMiddleware } from './routes/middleware.ts'
import { runRoutes } from './routes/run-routes.ts'
import { threadRoutes } from './routes/thread-routes.ts'
import { AnswerStreams } from './streams/answer-streams.ts'

/** Answers requests of any server. */
export interface Handler {
  (request: Request): Promise<Response>
  /** The OpenAPI 3.1 document of the routes. */
  openapi(): object
  /**
   * Calls `warmUp` of all agents, so that the first request need not load anything. Call it before the server listens.
   *
   * @throws MillraceError as `warmUp` of the agent does
   */
  warmUp(): Promise<void>
  /**
   * Shuts down gracefully: new requests are refused with 503, and answers in progress are finished. After
   * `timeoutMs` (default: 10,000) the remaining ones are stopped. Runs that wait for a person stay stored.
   */
  close(options?: { timeoutMs?: number }): Promise<void>
}

/**
 * Agents over HTTP, with the web's `Request` and `Response`: chat for the AI SDK's clients, approvals,
 * threads, answers that survive a reload, and endpoints for OpenAI clients. A route finds only data of the
 * caller's `resourceId`.
 *
 * @example
 * const handler = createHandler({ agents: { support }, memory, authenticate: (request) => session(request) })
 * export const GET = handler, POST = handler
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option and its value
 */
export function createHandler(options: HandlerOptions): Handler {
  const settings = settingsOf(options)
  const { basePath, limits, memory } = settings
  const answers = new AnswerStreams({
    store: settings.streams,
    onReaderGone: settings.onReaderGone,
    maxRunsPerResource: limits.maxRunsPerResource,
    maxAnswerLength: limits.maxAnswerLength,
    goneAfter: limits.goneAfterMs,
  })
  const app = newApp()
  let isClosing = false

  app.onError((error, context) => toRefusal(error, context, settings))
  app.notFound((context) =>
    refuse(context, 404, 'ROUTE_NOT_FOUND', `There is no route ${context.req.method} ${context.req.path}.`),
  )
  addMiddleware(app, settings, { isClosing: () => isClosing })

  const parts = { settings, answers }
  healthRoutes(app, parts)
  chatRoutes(app, parts)
  runRoutes(app, parts)
  if (memory) threadRoutes(app, parts, memory)
  modelRoutes(app, parts)
  chatCompletions(app, parts)
  responses(app, parts)
  embeddings(app, parts)
  const document = () =>
    app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: { title: 'Millrace', version: '0.1.0' },
      ...(basePath !== '' && { servers: [{ url: basePath }] }),
    })
  app.get('/openapi.json', (context) => context.json(document()))

  const handle = async (request: Request): Promise<Response> => {
    if (basePath === '') return app.fetch(request)
    const url = new URL(request.url)
    if (url.pathname !== basePath && !url.pathname.startsWith(`${basePath}/`)) {
      return refusal(
        404,
        'ROUTE_NOT_FOUND',
        `There is no route ${request.method} ${url.pathname}. All routes are below ${basePath}.`,
      )
    }
    url.pathname = url.pathname.slice(basePath.length) || '/'
    return app.fetch(new Request(url, request))
  }
  return Object.assign(handle, {
    openapi: document,
    warmUp: async () => {
      // One after the other: what loads at the same time holds the event loop together.
      for (const agent of Object.values(settings.agents)) await agent.warmUp()
    },
    close: async (given: { timeoutMs?: number } = {}) => {
      const { timeoutMs = 10_000 } = requireOptions('handler.close()', given, { timeoutMs: 'optional' })
      isClosing = true
      const settled = answers.settled()
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          answers.stopAll()
          resolve()
        }, timeoutMs)
      })
      await Promise.race([settled, late])
      clearTimeout(timer)
      await settled
    },
  })
}
