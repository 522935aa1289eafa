import { MillraceError } from '../errors.ts'
import { requireOneOf } from '../option-checks.ts'
import { requireOptions } from '../option-names.ts'
import { isRecord } from '../record.ts'
import { textOfResult } from '../tools/mcp-result.ts'
import type { Tool, ToolSet } from '../tools/tool.ts'
import { Connection, type McpClient } from './connection.ts'

export interface McpToolsOptions {
  /**
   * What happens if a server cannot list its tools: the run fails with `TOOL_LIST_FAILED`, or continues without them.
   * Default: `fail`.
   */
  onError?: 'fail' | 'skip'
}

/** Maximum length of a tool's name: some providers refuse longer ones. */
const MAX_NAME_LENGTH = 64

/**
 * Provides the tools of MCP servers to an agent. They are listed for each run, so a server may change them between
 * turns; a lost connection is then reopened. The name of a tool starts with that of its server, so that no server can
 * replace a tool of another one. A result with `isError` is an error of the tool.
 *
 * @example
 * const mcp = new McpTools({ files: () => createMCPClient({ transport }) })
 * const agent = new Agent({ model, tools: mcp.list })
 */
export class McpTools {
  readonly #connections: readonly (readonly [server: string, connection: Connection])[]
  readonly #onError: 'fail' | 'skip'

  /**
   * @param servers Functions that connect to a server, by the prefix of its tools: letters, digits, `_` and `-`
   * @throws MillraceError `CONFIG_INVALID`
   */
  constructor(
    servers: Readonly<Record<string, () => PromiseLike<McpClient>>>,
    options: McpToolsOptions = {},
  ) {
    const { onError = 'fail' } = requireOptions('McpTools', options, { onError: 'optional' })
    if (!isRecord(servers)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'The servers of McpTools are not an object. Pass functions by name: { files: () => createMCPClient({ transport }) }.',
      )
    }
    requireOneOf('onError', onError, ['fail', 'skip'])
    this.#onError = onError
    this.#connections = Object.entries(servers).map(([server, connect]) => {
      checkServer(server, connect)
      return [server, new Connection(connect)]
    })
  }

  /**
   * The tools of all servers, by name. Connects to a server on the first call, and again if the connection is lost.
   *
   * @throws MillraceError `TOOL_LIST_FAILED` with the client's error as cause; `CONFIG_INVALID` if two tools have the
   *   same name
   */
  readonly list = async (): Promise<ToolSet> => {
    const lists = await Promise.all(
      this.#connections.map(async ([server, connection]) =>
        namedTools(server, await this.#tools(server, connection)),
      ),
    )
    const tools: ToolSet = {}
    for (const [name, tool] of lists.flat()) {
      if (Object.hasOwn(tools, name)) throw sameName(name)
      tools[name] = tool
    }
    return tools
  }

  /** Closes all connections permanently. */
  async close(): Promise<void> {
    await Promise.all(this.#connections.map(([, connection]) => connection.close()))
  }

  async #tools(server: string, connection: Connection): Promise<ToolSet> {
    try {
      return await connection.tools()
    } catch (cause) {
      if (this.#onError === 'skip') return {}
      throw new MillraceError(
        'TOOL_LIST_FAILED',
        `The MCP server '${server}' could not list its tools. The cause has the client's error. Check that the server runs, or use onError: 'skip' if runs may continue without it.`,
        { cause },
      )
    }
  }
}

function checkServer(server: string, connect: unknown): void {
  if (!/^[\w-]+$/.test(server)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `'${server}' cannot be the name of an MCP server, because the names of its tools start with it. Use letters, digits, _ and -.`,
    )
  }
  if (typeof connect === 'function') return
  throw new MillraceError(
    'CONFIG_INVALID',
    `The MCP server '${server}' is of type ${typeof connect}. Use a function that connects: () => createMCPClient(…).`,
  )
}

function namedTools(server: string, tools: ToolSet): [name: string, tool: Tool][] {
  return Object.entries(tools).map(([name, tool]) => [
    `${server}_${name}`.replaceAll(/[^\w-]/g, '_').slice(0, MAX_NAME_LENGTH),
    withErrors(tool),
  ])
}

function sameName(name: string): MillraceError {
  return new MillraceError(
    'CONFIG_INVALID',
    `Two tools of MCP servers have the name '${name}': it consists of the server's name and the tool's, reduced to letters, digits, _ and -, and truncated to ${MAX_NAME_LENGTH} characters. Rename a server.`,
  )
}

/** Converts results with `isError` to errors. */
function withErrors(tool: Tool): Tool {
  const { execute } = tool
  if (!execute) return tool
  return {
    ...tool,
    async execute(input, options) {
      const result = await execute(input, options)
      if (isRecord(result) && result.isError === true)
        throw new Error(textOfResult(result) || 'The tool failed without a message.')
      return result
    },
  }
}
