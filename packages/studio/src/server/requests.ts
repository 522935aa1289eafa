import type { Context } from 'hono'
import { z } from 'zod/mini'
import { StudioError } from '../studio-error.ts'

const text = (most: number) => z.string().check(z.maxLength(most))
const name = z.string().check(z.minLength(1), z.maxLength(200))
const count = (most: number) => z.coerce.number().check(z.int(), z.minimum(0), z.maximum(most))
const reveal = z.optional(z.literal('1'))
const choices = z
  .array(z.object({ guard: name, options: z.optional(z.record(z.string(), z.unknown())) }))
  .check(z.minLength(1), z.maxLength(20))
const surface = z.optional(z.enum(['input', 'tool-result', 'answer']))

export const RunsQuerySchema = z.object({
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(200)), 50),
  cursor: z.optional(text(400)),
  agent: z.optional(name),
  state: z.optional(text(200)),
  threadId: z.optional(text(500)),
  resourceId: z.optional(text(500)),
  processor: z.optional(text(200)),
  search: z.optional(text(500)),
})

export const RunQuerySchema = z.object({ reveal })

export const ChunksQuerySchema = z.object({
  reveal,
  from: z._default(count(Number.MAX_SAFE_INTEGER), 0),
  limit: z._default(count(2_000), 500),
})

export const ExportQuerySchema = z.object({ reveal, format: z.enum(['html', 'json']) })

export const ReplaySchema = z.object({
  input: z.optional(text(1_000_000)),
  model: z.optional(name),
  processors: z.optional(name),
  instructions: z.optional(text(1_000_000)),
  tools: z.optional(z.enum(['recorded', 'execute'])),
})

export const AnswerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('calls'), answers: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal('data'), data: z.unknown() }),
  z.object({ type: z.literal('continue') }),
])

export const ChatSchema = z.object({
  text: z.string().check(z.minLength(1), z.maxLength(1_000_000)),
  threadId: z.optional(name),
  resourceId: z.optional(name),
  model: z.optional(name),
  processors: z.optional(name),
})

export const JudgeSchema = z.object({
  text: text(200_000),
  guards: choices,
  surface,
  splits: z.optional(z.boolean()),
})

export const TableSchema = z.object({
  content: z.string().check(z.minLength(1)),
  format: z.enum(['jsonl', 'csv', 'text']),
  textField: z.optional(name),
  labelField: z.optional(name),
  guards: choices,
  surface,
})

/** @throws StudioError `REQUEST_INVALID`, which names the field */
export function parsed<SCHEMA extends z.ZodMiniType>(schema: SCHEMA, value: unknown): z.infer<SCHEMA> {
  const { success, data, error } = z.safeParse(schema, value)
  if (success) return data
  const [issue] = error.issues
  throw new StudioError(
    'REQUEST_INVALID',
    `${issue?.path.join('.') || 'The request'}: ${issue?.message ?? 'is not valid'}`,
  )
}

export async function parsedBody<SCHEMA extends z.ZodMiniType>(
  schema: SCHEMA,
  context: Context,
): Promise<z.infer<SCHEMA>> {
  return parsed(schema, await jsonBody(context))
}

/** @throws StudioError `REQUEST_INVALID` */
export async function jsonBody(context: Context): Promise<unknown> {
  try {
    return await context.req.json()
  } catch (error) {
    // Errors of the body limit pass through.
    if (error instanceof SyntaxError) throw new StudioError('REQUEST_INVALID', 'The body is not JSON.')
    throw error
  }
}
