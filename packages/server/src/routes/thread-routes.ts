import { createRoute, z } from '@hono/zod-openapi'
import { type Thread as StoredThread, toUIMessage, toWaitingMessage, type UIMessage } from '@millrace/core'
import type { Memory } from '@millrace/memory'
import { type App, type Parts, Refused } from './app.ts'
import {
  errors,
  json,
  MetadataQuery,
  PageQuery,
  Thread,
  ThreadParams,
  threadId,
  UIMessageBody,
} from './schemas.ts'

const FoundThread = Thread.extend({ score: z.number(), message: UIMessageBody.optional() }).openapi(
  'FoundThread',
)

const listThreads = createRoute({
  method: 'get',
  path: '/threads',
  summary: 'Your threads, the last changed first',
  request: { query: PageQuery },
  responses: {
    200: {
      description: 'A page of them',
      content: json(z.object({ threads: z.array(Thread), nextCursor: z.string().optional() })),
    },
    ...errors,
  },
})

const searchThreads = createRoute({
  method: 'get',
  path: '/search/threads',
  summary: 'Your threads by words of their titles and messages, and by metadata; the best first',
  request: {
    query: z.object({
      query: z.string().max(2_000).optional(),
      metadata: MetadataQuery.optional(),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
  },
  responses: {
    200: {
      description: 'Each with the message that matches best, if one does',
      content: json(z.object({ threads: z.array(FoundThread) })),
    },
    ...errors,
  },
})

const getThread = createRoute({
  method: 'get',
  path: '/threads/{threadId}',
  summary: 'One thread',
  request: { params: ThreadParams },
  responses: { 200: { description: 'The thread', content: json(Thread) }, ...errors },
})

const updateThread = createRoute({
  method: 'patch',
  path: '/threads/{threadId}',
  summary: 'Renames a thread',
  request: {
    params: ThreadParams,
    body: {
      required: true,
      content: json(z.object({ title: z.string().min(1).max(200) }).openapi('RenameRequest')),
    },
  },
  responses: { 200: { description: 'The thread', content: json(Thread) }, ...errors },
})

const deleteThread = createRoute({
  method: 'delete',
  path: '/threads/{threadId}',
  summary: 'Deletes a thread, with its messages and runs',
  request: { params: ThreadParams },
  responses: {
    200: { description: 'Whether there was one', content: json(z.object({ deleted: z.boolean() })) },
    ...errors,
  },
})

const branchThread = createRoute({
  method: 'post',
  path: '/threads/{threadId}/branch',
  summary: 'Copies a thread, all of it or up to a message, to continue it in another way',
  request: {
    params: ThreadParams,
    body: {
      required: true,
      content: json(
        z
          .object({ newThreadId: threadId.optional(), upTo: z.string().min(1).max(256).optional() })
          .openapi('BranchRequest'),
      ),
    },
  },
  responses: { 200: { description: 'The copy', content: json(Thread) }, ...errors },
})

const listMessages = createRoute({
  method: 'get',
  path: '/threads/{threadId}/messages',
  summary:
    'The messages of a thread, oldest first, as a chat client shows them; what a run waits for comes last',
  request: { params: ThreadParams, query: PageQuery.extend({ agent: z.string().optional() }) },
  responses: {
    200: {
      description: 'A page of them',
      content: json(z.object({ messages: z.array(UIMessageBody), nextCursor: z.string().optional() })),
    },
    ...errors,
  },
})

const exportData = createRoute({
  method: 'get',
  path: '/data',
  summary: 'All that is kept of you: threads and messages, a JSON object a line',
  responses: {
    200: { description: 'Lines', content: { 'application/jsonl': { schema: z.string() } } },
    ...errors,
  },
})

const deleteData = createRoute({
  method: 'delete',
  path: '/data',
  summary: 'Deletes all that is kept of you',
  responses: {
    200: { description: 'It is gone', content: json(z.object({ deleted: z.literal(true) })) },
    ...errors,
  },
})

/** Threads and messages, for agents with a memory. */
export function threadRoutes(app: App, { settings }: Parts, memory: Memory): void {
  app.openapi(listThreads, async (context) => {
    const { limit, cursor } = context.req.valid('query')
    const resourceId = context.get('resourceId')
    const { items, nextCursor } = await memory.getThreads({ resourceId, limit, cursor })
    return context.json({ threads: items.map(shown), ...(nextCursor !== undefined && { nextCursor }) }, 200)
  })

  app.openapi(searchThreads, async (context) => {
    const resourceId = context.get('resourceId')
    const found = await memory.searchThreads({ ...context.req.valid('query'), resourceId })
    const threads = found.map(({ thread, score, message }) => ({
      ...shown(thread),
      score,
      ...(message && { message: toUIMessage(message) as z.infer<typeof UIMessageBody> }),
    }))
    return context.json({ threads }, 200)
  })

  app.openapi(getThread, async (context) => {
    const { threadId } = context.req.valid('param')
    return context.json(shown(await own(memory, threadId, context.get('resourceId'))), 200)
  })

  app.openapi(updateThread, async (context) => {
    const ids = { threadId: context.req.valid('param').threadId, resourceId: context.get('resourceId') }
    const thread = await memory.updateThread({ ...ids, title: context.req.valid('json').title })
    if (!thread) throw notFound(ids.threadId)
    return context.json(shown(thread), 200)
  })

  app.openapi(deleteThread, async (context) => {
    const ids = { threadId: context.req.valid('param').threadId, resourceId: context.get('resourceId') }
    return context.json({ deleted: await memory.deleteThread(ids) }, 200)
  })

  app.openapi(branchThread, async (context) => {
    const ids = { threadId: context.req.valid('param').threadId, resourceId: context.get('resourceId') }
    await own(memory, ids.threadId, ids.resourceId)
    const { newThreadId = crypto.randomUUID(), upTo } = context.req.valid('json')
    return context.json(shown(await memory.cloneThread({ ...ids, newThreadId, upTo })), 200)
  })

  app.openapi(listMessages, async (context) => {
    const ids = { threadId: context.req.valid('param').threadId, resourceId: context.get('resourceId') }
    const { limit, cursor, agent } = context.req.valid('query')
    const name = agent ?? Object.keys(settings.agents)[0]
    const asked =
      name !== undefined && Object.hasOwn(settings.agents, name) ? settings.agents[name] : undefined
    const { items, nextCursor } = await memory.listMessages({ ...ids, limit, cursor, order: 'asc' })
    const isLast = nextCursor === undefined
    const [waiting] = (isLast && (await asked?.suspendedRuns(ids))?.slice(-1)) || []
    // The first turn of a thread may wait before anything of it is stored.
    if (!waiting) await own(memory, ids.threadId, ids.resourceId)
    const last =
      waiting && (await asked?.waitingMessage(waiting.runId, ids).catch(() => toWaitingMessage(waiting)))
    const messages = items.map((message) => toUIMessage(message))
    if (last) messages.splice(placeOf(messages, last), 1, last)
    return context.json(
      { messages: messages as z.infer<typeof UIMessageBody>[], ...(isLast ? {} : { nextCursor }) },
      200,
    )
  })

  app.openapi(exportData, (context) => {
    const resourceId = context.get('resourceId')
    const lines = exportLines(memory, resourceId)
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, done } = await lines.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
      },
    })
    // The types take lines of JSON for one JSON value.
    return new Response(body, { headers: { 'content-type': 'application/jsonl' } }) as never
  })

  app.openapi(deleteData, async (context) => {
    const resourceId = context.get('resourceId')
    await memory.deleteResource({ resourceId })
    return context.json({ deleted: true as const }, 200)
  })
}

async function* exportLines(memory: Memory, resourceId: string): AsyncGenerator<unknown> {
  let cursor: string | undefined
  do {
    const page = await memory.getThreads({ resourceId, limit: 100, cursor })
    for (const thread of page.items) {
      yield { type: 'thread', ...shown(thread), state: thread.state }
      let next: string | undefined
      do {
        const messages = await memory.listMessages({
          threadId: thread.id,
          resourceId,
          limit: 200,
          cursor: next,
          order: 'asc',
        })
        for (const message of messages.items) yield { type: 'message', ...message }
        next = messages.nextCursor
      } while (next !== undefined)
    }
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

async function own(memory: Memory, threadId: string, resourceId: string): Promise<StoredThread> {
  const thread = await memory.getThreadById({ threadId, resourceId })
  if (!thread) throw notFound(threadId)
  return thread
}

/** Its steps may be stored already, under the same id. */
function placeOf(messages: readonly UIMessage[], { id }: UIMessage): number {
  const index = messages.findIndex((message) => message.id === id)
  return index === -1 ? messages.length : index
}

function notFound(threadId: string): Refused {
  return new Refused(404, 'THREAD_NOT_FOUND', `You have no thread '${threadId}'.`)
}

/** A thread without what processors keep with it. */
function shown({
  id,
  title,
  metadata,
  messageCount,
  createdAt,
  updatedAt,
}: StoredThread): z.infer<typeof Thread> {
  return {
    id,
    ...(title !== undefined && { title }),
    metadata,
    messageCount,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
