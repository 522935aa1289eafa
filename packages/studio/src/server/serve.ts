import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { MillraceError } from '@millrace/core'
import type { AccessOptions } from './access.ts'

/** Loopback only: other machines cannot connect. */
const ADDRESS = '127.0.0.1'
const MAX_HEADER_BYTES = 16 * 1024
const REQUEST_TIMEOUT = 30_000

export interface Served {
  /** `http://127.0.0.1:<port>`. */
  url: string
  token: string
  close(): Promise<void>
}

export interface ServeOptions {
  /** 0 for any free port. */
  port: number
  maxBodyBytes: number
  /** Whether the server keeps the process alive. */
  keepsProcess: boolean
}

/**
 * Starts a server with the app that `create` returns. Passes it a random token and the port.
 *
 * @throws MillraceError `CONFIG_INVALID` if the port is in use
 */
export async function serve(
  create: (gates: AccessOptions) => { fetch: (request: Request) => Response | Promise<Response> },
  { port, maxBodyBytes, keepsProcess }: ServeOptions,
): Promise<Served> {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
  let listening = port
  const app = create({ token, port: () => listening, maxBodyBytes })
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_TIMEOUT, headersTimeout: 10_000 },
    getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: false }),
  )
  server.listen(port, ADDRESS)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `Studio cannot listen on port ${port}: ${(cause as Error).message}. Pass another port, or 0 for any free port.`,
      { cause },
    )
  }
  listening = (server.address() as AddressInfo).port
  if (!keepsProcess) server.unref()
  server.on('connection', (socket) => {
    if (!keepsProcess) socket.unref()
  })
  return {
    url: `http://${ADDRESS}:${listening}`,
    token,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
