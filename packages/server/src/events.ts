/** For all streams of events: proxies pass them on as they come. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** The data of an event, or an event with a name. */
export type ServerEvent = string | { event: string; data: string }

export interface EventOptions {
  /** The data of the event after all others; `undefined` for none. Default: `[DONE]`. */
  last?: string | undefined
  /** Called once: when the reader has all of it, or leaves. */
  onLeave?: () => void
}

/** Events as server-sent events, no faster than they are read. */
export function toEvents(
  events: AsyncGenerator<ServerEvent>,
  options: EventOptions = {},
): ReadableStream<Uint8Array> {
  const { last, onLeave } = { last: '[DONE]', ...options }
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await events.next()
        if (!done) return controller.enqueue(encoder.encode(frameOf(value)))
        if (last !== undefined) controller.enqueue(encoder.encode(frameOf(last)))
        controller.close()
        onLeave?.()
      },
      cancel() {
        onLeave?.()
        // What the source fails with then is of no interest to anyone.
        void events.return(undefined).catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}

function frameOf(event: ServerEvent): string {
  return typeof event === 'string' ? `data: ${event}\n\n` : `event: ${event.event}\ndata: ${event.data}\n\n`
}
