import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'

export interface HttpServer {
  url: URL
  /** Forgets all sessions, as a server does that was restarted. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Serves on loopback, with a session and a server of its own for each client. */
export async function serveHttp(create: () => McpServer): Promise<HttpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const http = createServer(async (request, response) => {
    const body = request.method === 'POST' ? await readJson(request) : undefined
    const known = sessions.get(String(request.headers['mcp-session-id']))
    if (!known && !isInitializeRequest(body)) {
      response.writeHead(request.headers['mcp-session-id'] ? 404 : 400).end()
      return
    }
    await (known ?? (await open())).handleRequest(request, response, body)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo

  async function open(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    // Its own type says of its callbacks that they may be undefined.
    await create().connect(transport as Parameters<McpServer['connect']>[0])
    return transport
  }

  async function restart(): Promise<void> {
    const open = [...sessions.values()]
    sessions.clear()
    await Promise.all(open.map((transport) => transport.close()))
  }

  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    restart,
    async close() {
      await restart()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}
