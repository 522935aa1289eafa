/** A JSON-RPC message. */
export interface McpMessage {
  jsonrpc: '2.0'
  id?: string | number | null
  method?: string
  params?: object
}

/** The transport of an MCP client: `StdioMCPTransport` of `@ai-sdk/mcp`, or a transport of the official SDK. */
export interface McpTransport {
  // biome-ignore lint/suspicious/noExplicitAny: transports declare messages and options of their own
  send(message: any, options?: any): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  onmessage?: ((message: any, ...rest: any[]) => void) | undefined
}

/** Requests that open a session. They are not cancelled. */
const FIRST: ReadonlySet<string> = new Set(['initialize', 'server/discover'])

/**
 * Wraps a transport so that it informs the server when a request is aborted, by `notifications/cancelled`.
 * `@ai-sdk/mcp` only stops waiting for the response. Use the returned transport instead of the given one.
 *
 * @example
 * createMCPClient({ transport: withCancellation(new StdioMCPTransport({ command: 'files-server' })) })
 */
export function withCancellation<TRANSPORT extends McpTransport>(transport: TRANSPORT): TRANSPORT {
  /** Functions that remove the abort listener of a request, by its id. */
  const pending = new Map<string | number, () => void>()

  function send(message: McpMessage, options?: { signal?: AbortSignal }): Promise<void> {
    const { id, method } = message
    const signal = options?.signal
    if (signal && id !== undefined && id !== null && method !== undefined && !FIRST.has(method)) {
      watch(id, signal)
    }
    return transport.send(message, options)
  }

  function watch(id: string | number, signal: AbortSignal): void {
    const cancel = (): void => {
      pending.delete(id)
      const params = { requestId: id, reason: 'The run was aborted.' }
      // If the connection is closed, there is nothing to cancel.
      Promise.resolve(
        transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params } satisfies McpMessage),
      ).catch(() => {})
    }
    signal.addEventListener('abort', cancel, { once: true })
    pending.set(id, () => signal.removeEventListener('abort', cancel))
  }

  function receive({ id, method }: McpMessage): void {
    if (id === undefined || id === null || method !== undefined) return
    pending.get(id)?.()
    pending.delete(id)
  }

  return new Proxy(transport, {
    get(target, name) {
      if (name === 'send') return send
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set(target, name, value) {
      if (name !== 'onmessage' || typeof value !== 'function') return Reflect.set(target, name, value)
      target.onmessage = (message: McpMessage, ...rest) => {
        receive(message)
        value(message, ...rest)
      }
      return true
    },
  })
}
