import type { ToolSet } from '../tools/tool.ts'

/** A client of one MCP server, such as `createMCPClient()` of `@ai-sdk/mcp`. */
export interface McpClient {
  /** Lists the server's tools. */
  tools(): PromiseLike<ToolSet>
  close(): PromiseLike<void>
}

/** The connection to one server, shared by all runs. It is opened on first use, and again if it was lost. */
export class Connection {
  readonly #connect: () => PromiseLike<McpClient>
  #client: Promise<McpClient> | undefined
  #isClosed = false

  constructor(connect: () => PromiseLike<McpClient>) {
    this.#connect = connect
  }

  /** Lists the server's tools. If an existing connection fails, a new one is tried. */
  async tools(): Promise<ToolSet> {
    const known = this.#client
    if (known) {
      try {
        return await (await known).tools()
      } catch {
        // Not awaited: a server that does not respond may not respond to closing either.
        this.#drop(known)
      }
    }
    const client = this.#open()
    try {
      return await (await client).tools()
    } catch (error) {
      this.#drop(client)
      throw error
    }
  }

  /** Closes the connection permanently. A pending `tools()` call does not reconnect. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#client) await this.#drop(this.#client)
  }

  /** Opens a connection, unless another run has opened one in the meantime. */
  #open(): Promise<McpClient> {
    if (this.#isClosed) throw new Error('The connection was closed.')
    this.#client ??= (async () => this.#connect())()
    return this.#client
  }

  /** Closes a connection, unless another run has closed it. Never rejects. */
  async #drop(client: Promise<McpClient>): Promise<void> {
    if (this.#client !== client) return
    this.#client = undefined
    // Connecting may have failed, or the connection may already be lost.
    await client.then((open) => open.close()).catch(() => {})
  }
}
