import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Handler } from '../handler.ts'

export interface Served {
  url: string
  /** Takes no new connections, waits for the given work, then ends those that are left. */
  close(work: () => Promise<void>): Promise<void>
}

/** Bytes of all headers of a request. */
const MAX_HEADER_BYTES = 16 * 1024
/** Milliseconds for all headers to arrive, and for the whole request. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 30_000
/** Milliseconds without a byte in either direction: answers have a comment every 15 seconds, so their reader has stopped. */
const IDLE_TIMEOUT = 120_000

/** Serves the handler with Node's HTTP server, with limits for clients that are slow, stalled or gone. */
export async function serve(
  handler: Handler,
  { host, port }: { host: string; port: number },
): Promise<Served> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      connectionsCheckingInterval: 5_000,
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    },
    getRequestListener(handler),
  )
  server.timeout = IDLE_TIMEOUT
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${shown}:${address.port}`,
    async close(work) {
      const closed = once(server, 'close')
      server.close()
      await work()
      server.closeIdleConnections()
      // Readers that have not read the end of their answer by now do not.
      const timer = setTimeout(() => server.closeAllConnections(), 1_000)
      await closed
      clearTimeout(timer)
    },
  }
}
