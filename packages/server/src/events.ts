/** For all streams of events: proxies pass them on as they come. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * Texts as server-sent events, no faster than they are read; `[DONE]` comes last.
 *
 * @param onLeave Called once: when the reader has all of it, or leaves
 */
export function toEvents(texts: AsyncGenerator<string>, onLeave?: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await texts.next()
        controller.enqueue(encoder.encode(`data: ${done ? '[DONE]' : value}\n\n`))
        if (!done) return
        controller.close()
        onLeave?.()
      },
      cancel() {
        onLeave?.()
        // What the source fails with then is of no interest to anyone.
        void texts.return(undefined).catch(() => {})
      },
    },
    { highWaterMark: 0 },
  )
}
