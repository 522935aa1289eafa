/** For all event streams: proxies must not buffer them. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** The data of one event or of several, or an event with a name. */
export type ServerEvent = string | readonly string[] | { event: string; data: string }

export interface EventOptions {
  /** The data of the last event; `undefined` for none. Default: `[DONE]`. */
  last?: string | undefined
  /** Called once, when the client has read everything or disconnects. */
  onLeave?: () => void
}

/**
 * Milliseconds between the comments on an idle stream. A failed write shows that the client has disconnected.
 */
const HEARTBEAT = 15_000

/**
 * Encodes events as server-sent events, with backpressure. While the source is idle, it sends a comment every
 * 15 seconds.
 */
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
          // Only if the client has read the last comment.
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
        // The client has disconnected, so an error of the source is of no use.
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
