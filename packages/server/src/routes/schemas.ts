import { z } from '@hono/zod-openapi'

export const ErrorBody = z
  .object({ error: z.object({ code: z.string(), message: z.string() }) })
  .openapi('Error')

export const threadId = z.string().min(1).max(256)

export const AgentParams = z.object({ agent: z.string() })
export const ThreadParams = z.object({ threadId })
export const AgentThreadParams = z.object({ agent: z.string(), threadId })
export const RunParams = z.object({ agent: z.string(), runId: z.string().min(1).max(256) })

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(2_000).optional(),
})

/** A message of the AI SDK's chat clients. `parseUIMessages` checks its parts. */
export const UIMessageBody = z
  .object({ id: z.string(), role: z.string(), parts: z.array(z.looseObject({ type: z.string() })) })
  .loose()
  .openapi('UIMessage')

export const Thread = z
  .object({
    id: z.string(),
    title: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()),
    messageCount: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi('Thread')

/** Top-level values of metadata, as JSON. */
export const MetadataQuery = z
  .string()
  .max(2_000)
  .transform((text, context) => {
    const parsed = Conditions.safeParse(parseJson(text))
    if (parsed.success) return parsed.data
    context.addIssue('it must be an object of strings, numbers, booleans and nulls, as JSON')
    return z.NEVER
  })

const Conditions = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const SuspendedRun = z
  .object({ runId: z.string(), threadId: z.string().optional(), payload: z.unknown(), expiresAt: z.string() })
  .openapi('SuspendedRun')

export const events = {
  description: 'The AI SDK’s UI message stream, as server-sent events',
  content: { 'text/event-stream': { schema: z.string() } },
}

/** The error responses of all routes. */
export const errors = {
  400: { description: 'The request is not valid', content: json(ErrorBody) },
  401: { description: 'The caller is not signed in', content: json(ErrorBody) },
  403: { description: 'The caller may not answer this call', content: json(ErrorBody) },
  404: { description: 'The caller has no such agent, thread or run', content: json(ErrorBody) },
  409: { description: 'The run was resumed already, or the data changed', content: json(ErrorBody) },
  408: { description: 'The body is too slow', content: json(ErrorBody) },
  413: { description: 'The body is too large', content: json(ErrorBody) },
  429: { description: 'A limit is reached', content: json(ErrorBody) },
  431: { description: 'The headers are too large', content: json(ErrorBody) },
} as const

export function json<SCHEMA extends z.ZodType>(schema: SCHEMA): { 'application/json': { schema: SCHEMA } } {
  return { 'application/json': { schema } }
}
