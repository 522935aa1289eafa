import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Handler } from '../handler.ts'

export interface Served {
  url: string
  /**
   * Stops accepting connections, waits for the given work, then closes the connections that are still open.
   */
  close(work: () => Promise<void>): Promise<void>
}

/** Maximum size of all headers of a request, in bytes. */
const MAX_HEADER_BYTES = 16 * 1024
/** Maximum time for all headers to arrive, and for the whole request, in milliseconds. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 30_000
/**
 * Milliseconds without a byte in either direction. Answers have a comment every 15 seconds, so a client that
 * is idle for so long has stopped reading.
 */
const IDLE_TIMEOUT = 120_000

/** Serves the handler with Node's HTTP server, with limits for slow and stalled clients. */
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
  const toThread = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${toThread}:${address.port}`,
    async close(work) {
      const closed = once(server, 'close')
      server.close()
      await work()
      server.closeIdleConnections()
      // Clients get a second to read the end of their answer.
      const timer = setTimeout(() => server.closeAllConnections(), 1_000)
      await closed
      clearTimeout(timer)
    },
  }
}
