import type { ToolSet } from '../tools/tool.ts'

/** A connection to one MCP server, as `createMCPClient()` of `@ai-sdk/mcp` makes it. */
export interface McpClient {
  /** Lists the server's tools. */
  tools(): PromiseLike<ToolSet>
  close(): PromiseLike<void>
}

/** The connection to one server. All runs share it. It is made when it is first needed, and again where it was lost. */
export class Connection {
  readonly #connect: () => PromiseLike<McpClient>
  #client: Promise<McpClient> | undefined
  #isClosed = false

  constructor(connect: () => PromiseLike<McpClient>) {
    this.#connect = connect
  }

  /** Lists the server's tools. Where that fails on a connection that was there before, it is tried on a new one. */
  async tools(): Promise<ToolSet> {
    const known = this.#client
    if (known) {
      try {
        return await (await known).tools()
      } catch {
        // Nothing waits for its end: a server that does not answer may not answer to that either.
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

  /** Ends the connection for good: a list that is under way does not connect again. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#client) await this.#drop(this.#client)
  }

  /** Another run may have connected meanwhile. */
  #open(): Promise<McpClient> {
    if (this.#isClosed) throw new Error('The connection was closed.')
    this.#client ??= (async () => this.#connect())()
    return this.#client
  }

  /** Ends a connection, unless another run has. Never rejects. */
  async #drop(client: Promise<McpClient>): Promise<void> {
    if (this.#client !== client) return
    this.#client = undefined
    // It may never have been there, or be gone already.
    await client.then((open) => open.close()).catch(() => {})
  }
}
