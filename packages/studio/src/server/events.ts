import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'

/** Milliseconds between comments while nothing happens: so it is seen whether the reader is still there. */
const HEARTBEAT = 15_000

/** Sends one event, once the reader has taken those before. */
export type Send<EVENTS> = <NAME extends keyof EVENTS & string>(
  name: NAME,
  data: EVENTS[NAME],
) => Promise<void>

/** Events for as long as `work` takes and the reader stays. */
export function eventStream<EVENTS>(
  context: Context,
  work: (send: Send<EVENTS>, signal: AbortSignal) => Promise<void>,
): Response {
  context.header('cache-control', 'no-store, no-transform')
  return streamSSE(context, async (stream) => {
    const left = new AbortController()
    stream.onAbort(() => left.abort())
    const heartbeat = setInterval(() => void stream.write(': \n\n'), HEARTBEAT)
    heartbeat.unref()
    try {
      await work(async (event, data) => {
        if (!left.signal.aborted) await stream.writeSSE({ event, data: JSON.stringify(data) })
      }, left.signal)
    } finally {
      clearInterval(heartbeat)
    }
  })
}
