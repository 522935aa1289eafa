/** For all streams of events: proxies pass them on as they come. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** The data of an event, that of several at once, or an event with a name. */
export type ServerEvent = string | readonly string[] | { event: string; data: string }

export interface EventOptions {
  /** The data of the event after all others; `undefined` for none. Default: `[DONE]`. */
  last?: string | undefined
  /** Called once: when the reader has all of it, or leaves. */
  onLeave?: () => void
}

/** Milliseconds between the comments that an idle stream sends, so that it is seen whether its reader is still there. */
const HEARTBEAT = 15_000

/** Events as server-sent events, no faster than they are read. While the reader waits, a comment is sent from time to time. */
export function toEvents(
  events: AsyncGenerator<ServerEvent>,
  options: EventOptions = {},
): ReadableStream<Uint8Array> {
  const { last, onLeave } = { last: '[DONE]', ...options }
  let isWaiting = false
  let heartbeat: ReturnType<typeof setInterval> | undefined
  const leave = (): void => {
    clearInterval(heartbeat)
    onLeave?.()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        heartbeat = setInterval(() => {
          // Not behind a comment that has not been read.
          if (isWaiting && controller.desiredSize === 0) controller.enqueue(encoder.encode(': \n\n'))
        }, HEARTBEAT)
      },
      async pull(controller) {
        isWaiting = true
        try {
          const { value, done } = await events.next()
          if (!done) return controller.enqueue(encoder.encode(frameOf(value)))
        } catch (error) {
          leave()
          throw error
        } finally {
          isWaiting = false
        }
        if (last !== undefined) controller.enqueue(encoder.encode(frameOf(last)))
        controller.close()
        leave()
      },
      cancel() {
        leave()
        // What the source fails with then is of no interest to anyone.
        void events.return(undefined).catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}

const encoder = new TextEncoder()

function frameOf(event: ServerEvent): string {
  if (typeof event === 'string') return `data: ${event}\n\n`
  return 'data' in event
    ? `event: ${event.event}\ndata: ${event.data}\n\n`
    : event.map((data) => `data: ${data}\n\n`).join('')
}
