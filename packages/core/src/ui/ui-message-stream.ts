import type { Chunk } from '../results/chunk.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import type {
  UIMessageStreamOptions,
  UIMessageStreamResponseOptions,
} from '../results/ui-message-stream-options.ts'
import type { Run } from '../run/run.ts'

/** The source of a UI stream. */
export interface UIMessageSource {
  /** Attaches the run's only reader. Called when the stream is first read. */
  read: () => AsyncIterator<Chunk>
  run: Run
}

/** The headers of the protocol. Buffering is disabled, so that proxies pass chunks on at once. */
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
}

/** The run as UI chunks. Pulls one chunk of the run at a time; cancelling the stream aborts the run. */
export function uiMessageStream(
  source: UIMessageSource,
  options: UIMessageStreamOptions,
): ReadableStream<UIMessageChunk> {
  return pullStream(source, async () => (await mapping()).uiChunks(source.run, options))
}

/** The same chunks without a web stream, which takes more memory. Leaving the loop aborts the run. */
export async function* uiMessageChunks(
  { read, run }: UIMessageSource,
  options: UIMessageStreamOptions,
): AsyncGenerator<UIMessageChunk, void> {
  const map = (await mapping()).uiChunks(run, options)
  const reader = read()
  try {
    for (;;) {
      const { value, done } = await reader.next()
      for (const chunk of map(value)) yield chunk
      if (done) return
    }
  } finally {
    await reader.return?.()
  }
}

/** The same chunks as server-sent events in a response. */
export function uiMessageStreamResponse(
  source: UIMessageSource,
  { status = 200, statusText = '', headers, ...options }: UIMessageStreamResponseOptions,
): Response {
  const body = pullStream(source, async () => (await mapping()).uiEvents(source.run, options))
  const all = new Headers(HEADERS)
  for (const [name, value] of new Headers(headers)) all.set(name, value)
  return new Response(body, { status, statusText, headers: all })
}

type Mapping = typeof import('./ui-chunks.ts')

let loaded: Mapping | undefined

/**
 * Loaded on demand, because only agents with chat clients need it. Cached, because `import()` costs time on every
 * call.
 */
function mapping(): Mapping | Promise<Mapping> {
  return loaded ?? load()
}

async function load(): Promise<Mapping> {
  loaded = await import('./ui-chunks.ts')
  return loaded
}

/** @param open Returns a function that maps a chunk, or the end, to the stream's values. */
function pullStream<VALUE>(
  { read }: UIMessageSource,
  open: () => Promise<(chunk: Chunk | undefined) => VALUE[]>,
): ReadableStream<VALUE> {
  let reader: AsyncIterator<Chunk> | undefined
  let map: Awaited<ReturnType<typeof open>> | undefined
  const leave = () => {
    reader ??= read()
    return reader.return?.()
  }
  return new ReadableStream<VALUE>(
    {
      async pull(controller) {
        reader ??= read()
        try {
          map ??= await open()
          for (;;) {
            const { value, done } = await reader.next()
            const values = map(value)
            for (const each of values) controller.enqueue(each)
            if (done) controller.close()
            if (done || values.length > 0) return
          }
        } catch (error) {
          await leave()
          throw error
        }
      },
      cancel: async () => {
        await leave()
      },
    },
    { highWaterMark: 0 },
  )
}
