import { createRoute, z } from '@hono/zod-openapi'
import { type Thread as StoredThread, toUIMessage, toWaitingMessage, type UIMessage } from '@millrace/core'
import type { Memory } from '@millrace/memory'
import { type App, Refused, type RouteContext } from './app.ts'
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
  summary: 'Lists your threads, last updated first',
  request: { query: PageQuery },
  responses: {
    200: {
      description: 'One page',
      content: json(z.object({ threads: z.array(Thread), nextCursor: z.string().optional() })),
    },
    ...errors,
  },
})

const searchThreads = createRoute({
  method: 'get',
  path: '/search/threads',
  summary: 'Searches your threads by words in titles and messages, and by metadata, best first',
  request: {
    query: z.object({
      query: z.string().max(2_000).optional(),
      metadata: MetadataQuery.optional(),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
  },
  responses: {
    200: {
      description: 'The threads, each with its best matching message, if any',
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
      content: json(z.strictObject({ title: z.string().min(1).max(200) }).openapi('RenameRequest')),
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
    200: { description: 'Whether the thread existed', content: json(z.object({ deleted: z.boolean() })) },
    ...errors,
  },
})

const branchThread = createRoute({
  method: 'post',
  path: '/threads/{threadId}/branch',
  summary: 'Copies a thread, up to a message if given, to continue it separately',
  request: {
    params: ThreadParams,
    body: {
      required: true,
      content: json(
        z
          .strictObject({ newThreadId: threadId.optional(), upTo: z.string().min(1).max(256).optional() })
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
    'Lists the messages of a thread, oldest first, as UI messages. The message of a waiting run is last',
  request: { params: ThreadParams, query: PageQuery.extend({ agent: z.string().optional() }) },
  responses: {
    200: {
      description: 'One page',
      content: json(z.object({ messages: z.array(UIMessageBody), nextCursor: z.string().optional() })),
    },
    ...errors,
  },
})

const exportData = createRoute({
  method: 'get',
  path: '/data',
  summary: 'Exports all your data: threads and messages, one JSON object per line',
  responses: {
    200: { description: 'Lines', content: { 'application/jsonl': { schema: z.string() } } },
    ...errors,
  },
})

const deleteData = createRoute({
  method: 'delete',
  path: '/data',
  summary: 'Deletes all your data',
  responses: {
    200: { description: 'The data is deleted', content: json(z.object({ deleted: z.literal(true) })) },
    ...errors,
  },
})

/** Routes for threads and messages, if there is a memory. */
export function threadRoutes(app: App, { settings }: RouteContext, memory: Memory): void {
  app.openapi(listThreads, async (context) => {
    const { limit, cursor } = context.req.valid('query')
    const resourceId = context.get('resourceId')
    const { items, nextCursor } = await memory.getThreads({ resourceId, limit, cursor })
    return context.json(
      { threads: items.map(toThread), ...(nextCursor !== undefined && { nextCursor }) },
      200,
    )
  })

  app.openapi(searchThreads, async (context) => {
    const resourceId = context.get('resourceId')
    const found = await memory.searchThreads({ ...context.req.valid('query'), resourceId })
    const threads = found.map(({ thread, score, message }) => ({
      ...toThread(thread),
      score,
      ...(message && { message: toUIMessage(message) as z.infer<typeof UIMessageBody> }),
    }))
    return context.json({ threads }, 200)
  })

  app.openapi(getThread, async (context) => {
    const { threadId } = context.req.valid('param')
    return context.json(toThread(await requireThread(memory, threadId, context.get('resourceId'))), 200)
  })

  app.openapi(updateThread, async (context) => {
    const ids = { threadId: context.req.valid('param').threadId, resourceId: context.get('resourceId') }
    const thread = await memory.updateThread({ ...ids, title: context.req.valid('json').title })
    if (!thread) throw notFound(ids.threadId)
    return context.json(toThread(thread), 200)
  })

  app.openapi(deleteThread, async (context) => {
    const ids = { threadId: context.req.valid('param').threadId, resourceId: context.get('resourceId') }
    return context.json({ deleted: await memory.deleteThread(ids) }, 200)
  })

  app.openapi(branchThread, async (context) => {
    const ids = { threadId: context.req.valid('param').threadId, resourceId: context.get('resourceId') }
    await requireThread(memory, ids.threadId, ids.resourceId)
    const { newThreadId = crypto.randomUUID(), upTo } = context.req.valid('json')
    return context.json(toThread(await memory.cloneThread({ ...ids, newThreadId, upTo })), 200)
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
    // The first turn of a thread may wait before its thread is stored.
    if (!waiting) await requireThread(memory, ids.threadId, ids.resourceId)
    const last =
      waiting &&
      (await asked
        ?.waitingMessage(waiting.runId, { resourceId: ids.resourceId })
        .catch(() => toWaitingMessage(waiting)))
    const messages = items.map((message) => toUIMessage(message))
    if (last) messages.splice(positionFor(messages, last), 1, last)
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
    // The types expect a JSON value; the body is JSON lines.
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
      yield { type: 'thread', ...toThread(thread), state: thread.state }
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

async function requireThread(memory: Memory, threadId: string, resourceId: string): Promise<StoredThread> {
  const thread = await memory.getThreadById({ threadId, resourceId })
  if (!thread) throw notFound(threadId)
  return thread
}

/** The position of the waiting message: it replaces the stored message with the same id. */
function positionFor(messages: readonly UIMessage[], { id }: UIMessage): number {
  const index = messages.findIndex((message) => message.id === id)
  return index === -1 ? messages.length : index
}

function notFound(threadId: string): Refused {
  return new Refused(404, 'THREAD_NOT_FOUND', `You have no thread '${threadId}'.`)
}

/** A thread without its internal state. */
function toThread({
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
