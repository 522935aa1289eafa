import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'

/** Milliseconds between the comments on an idle stream. A failed write shows that the client has disconnected. */
const HEARTBEAT = 15_000

/** Sends one event, after the client has read the previous ones. */
export type Send<EVENTS> = <NAME extends keyof EVENTS & string>(
  name: NAME,
  data: EVENTS[NAME],
) => Promise<void>

/** A stream of events, until `work` resolves or the client disconnects. */
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
