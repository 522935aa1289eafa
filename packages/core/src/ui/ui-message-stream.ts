import type { ChunkType } from '../run/chunk.ts'
import type { Run } from '../run/run.ts'
import type { UIMessageChunk } from './ui-message-chunk.ts'

export interface UIMessageStreamOptions {
  /** Whether the client gets the model's reasoning. Default: true. */
  sendReasoning?: boolean
  /** Whether the client gets the sources the model cites. Default: true. */
  sendSources?: boolean
  /** Whether `data-tripwire` and `data-halt` carry the processor's `metadata`. Default: false. */
  sendProcessorMetadata?: boolean
  /**
   * What the client is told about a fault. The error may hold internals: choose what to say by its `code`.
   * Default: `An error occurred.`
   */
  onError?: (error: unknown) => string
  /**
   * Whether `onError` also says what the client is told about a failed tool call. Default: false, the client gets the
   * text the model gets.
   */
  redactToolErrors?: boolean
  /** The message's `metadata`: asked for at `start`, at every `step-finish` and at the run's end, and merged. */
  messageMetadata?: (options: { part: ChunkType }) => unknown
}

export interface UIMessageStreamResponseOptions extends UIMessageStreamOptions {
  /** Default: 200. */
  status?: number
  statusText?: string
  /** They go before those of the protocol. */
  headers?: Headers | Record<string, string>
}

/** Where a UI stream comes from. */
export interface UIMessageSource {
  /** The run's one reader. Asked for when the stream is first read. */
  read: () => AsyncIterator<ChunkType>
  run: Run
}

/** What the AI SDK's clients expect; without buffering, so that proxies pass chunks on as they come. */
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
}

/** The run as chunks for the AI SDK's clients. Pulls one chunk of the run at a time; cancelling it ends the run. */
export function uiMessageStream(
  source: UIMessageSource,
  options: UIMessageStreamOptions,
): ReadableStream<UIMessageChunk> {
  return pullStream(source, options, (chunks) => chunks ?? [])
}

/** The same as server-sent events in a response. */
export function uiMessageStreamResponse(
  source: UIMessageSource,
  { status = 200, statusText, headers, ...options }: UIMessageStreamResponseOptions,
): Response {
  const encoder = new TextEncoder()
  const body = pullStream(source, options, (chunks) => [
    encoder.encode(
      chunks?.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('') ?? 'data: [DONE]\n\n',
    ),
  ])
  const all = new Headers(headers)
  for (const [name, value] of Object.entries(HEADERS)) if (!all.has(name)) all.set(name, value)
  return new Response(body, { status, ...(statusText !== undefined && { statusText }), headers: all })
}

/** @param encode Turns chunks into what the stream holds; it is called once with `undefined`, at the end. */
function pullStream<VALUE>(
  { read, run }: UIMessageSource,
  options: UIMessageStreamOptions,
  encode: (chunks: UIMessageChunk[] | undefined) => VALUE[],
): ReadableStream<VALUE> {
  let reader: AsyncIterator<ChunkType> | undefined
  let map: ((chunk: ChunkType) => UIMessageChunk[]) | undefined
  return new ReadableStream<VALUE>(
    {
      async pull(controller) {
        reader ??= read()
        try {
          map ??= (await import('./ui-chunk-mapper.ts')).uiChunkMapper(run, options)
          for (;;) {
            const { value, done } = await reader.next()
            const chunks = done ? undefined : map(value)
            if (chunks?.length === 0) continue
            for (const encoded of encode(chunks)) controller.enqueue(encoded)
            if (done) controller.close()
            return
          }
        } catch (error) {
          await reader.return?.()
          throw error
        }
      },
      async cancel() {
        reader ??= read()
        await reader.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
