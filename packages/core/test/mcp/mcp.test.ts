import { fileURLToPath } from 'node:url'
import { createMCPClient, type MCPClient, type MCPTransport } from '@ai-sdk/mcp'
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio'
import { Agent, type Processor, type RunResult, type ToolSet, tool } from '@millrace/core'
import { McpTools, withCancellation } from '@millrace/core/mcp'
import { InMemoryStore } from '@millrace/core/storage'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type HttpServer, serveHttp } from './http-server.ts'
import { officeServer, PIXEL, resultServer } from './office-server.ts'

expect.extend(matchers)

/** What a test has opened, last first. */
const opened: (() => PromiseLike<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

const stdioTransport = (): StdioMCPTransport =>
  new StdioMCPTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('stdio-server.ts', import.meta.url))],
  })

async function connect(transport: MCPTransport | { type: 'http'; url: string }): Promise<MCPClient> {
  const client = await createMCPClient({ transport, maxRetries: 0 })
  opened.push(() => client.close())
  return client
}

async function serve(create = () => officeServer()): Promise<HttpServer> {
  const server = await serveHttp(create)
  opened.push(() => server.close())
  return server
}

const http = ({ url }: HttpServer) => connect({ type: 'http', url: url.href })

function mcpTools(...options: ConstructorParameters<typeof McpTools>): McpTools {
  const tools = new McpTools(...options)
  opened.push(() => tools.close())
  return tools
}

/** An agent that calls these tools, one in each turn, and then is done. */
function agentOf(
  tools: ToolSet | (() => Promise<ToolSet>),
  calls: readonly [name: string, input?: object][],
  processors: Processor[] = [],
) {
  const turns = calls.flatMap(([name, input]) => [toolCall(name, input ?? {}), 'Done.'])
  const model = new ScriptedModel([...turns, 'Done.'], { repeat: 'last' })
  return { model, agent: new Agent({ model, tools, processors }) }
}

const resultOf = ({ steps }: RunResult) => steps[0]?.toolResults[0]

const textIn = (result: RunResult): unknown => {
  const found = resultOf(result)
  const { content } = (found?.status === 'success' ? found.output : {}) as { content?: { text: string }[] }
  return content?.[0]?.text
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.each(['stdio', 'http'] as const)('the tools of an MCP server over %s', (way) => {
  const client = async () => (way === 'stdio' ? connect(stdioTransport()) : http(await serve()))

  test('are tools of an agent without changes, by generate and stream', async () => {
    const { tools } = await client().then(async (one) => ({ tools: await one.tools() }))
    const { agent, model } = agentOf(tools, [
      ['add', { a: 2, b: 3 }],
      ['add', { a: 4, b: 5 }],
    ])
    const expected = (sum: number) => ({
      toolName: 'add',
      status: 'success',
      output: { content: [{ type: 'text', text: `${sum}` }], structuredContent: { sum } },
    })
    expect(resultOf(await agent.generate('2 + 3?'))).toMatchObject(expected(5))
    expect(resultOf(await agent.stream('4 + 5?').result)).toMatchObject(expected(9))
    expect(model.calls[0]?.tools?.find(({ name }) => name === 'add')).toMatchObject({
      description: 'Adds two numbers',
      inputSchema: { properties: { a: { type: 'number', description: 'The first number' } } },
    })
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ output: { type: 'content', value: [{ type: 'text', text: '5' }] } }],
    })
  })

  test('send images to the model, and all of their output to guards', async () => {
    const seen: unknown[] = []
    const guard: Processor = {
      id: 'guard',
      processToolResult: ({ output }) => void seen.push(output),
    }
    const { agent, model } = agentOf(await (await client()).tools(), [['picture']], [guard])
    await agent.generate('What does it look like?')
    expect(seen).toMatchObject([{ content: [{ text: 'The office:' }, { type: 'image', data: PIXEL }] }])
    expect(model.lastPrompt.at(-1)).toMatchObject({
      content: [
        {
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'The office:' },
              { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PIXEL } },
            ],
          },
        },
      ],
    })
  })

  test('have descriptions and schemas that guards receive, and can remove, before the model', async () => {
    const seen: string[] = []
    const guard: Processor = {
      id: 'guard',
      async processInputStep({ tools }) {
        for (const [name, { description, inputSchema }] of Object.entries(tools)) {
          const { jsonSchema } = inputSchema as { jsonSchema: object }
          seen.push(JSON.stringify({ name, description, schema: await jsonSchema }))
        }
        const { pid: _, ...others } = tools
        return { tools: others }
      },
    }
    const { agent, model } = agentOf(await (await client()).tools(), [], [guard])
    await agent.generate('Hi')
    expect(seen.find((one) => one.includes('"add"'))).toContain('The first number')
    expect(model.lastCall.tools?.map(({ name }) => name)).not.toContain('pid')
  })

  test('are validated by output schemas of the application', async () => {
    const one = await client()
    const typed = (outputSchema: z.ZodType) =>
      one.tools({
        schemas: { add: { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema } },
      })
    const call = [['add', { a: 2, b: 3 }]] as const
    const fits = agentOf(await typed(z.object({ sum: z.number() })), [...call] as never)
    expect(resultOf(await fits.agent.generate('Hi'))).toMatchObject({ status: 'success', output: { sum: 5 } })
    const differs = agentOf(await typed(z.object({ total: z.string() })), [...call] as never)
    expect(resultOf(await differs.agent.generate('Hi'))).toMatchObject({
      status: 'error',
      error: expect.stringContaining('does not match the expected outputSchema'),
    })
  })
})

describe('an aborted run', () => {
  /** Knows when the server has been sent a call. */
  const watchCalls = <TRANSPORT extends { send: StdioMCPTransport['send'] }>(transport: TRANSPORT) => {
    const called = Promise.withResolvers<void>()
    const send = transport.send.bind(transport)
    transport.send = async (message, ...rest) => {
      const sending = send(message, ...rest)
      if ('method' in message && message.method === 'tools/call') called.resolve()
      return sending
    }
    return { transport, called: called.promise }
  }

  test('cancels the call at a server over stdio', async () => {
    const { transport, called } = watchCalls(stdioTransport())
    const tools = await (await connect(withCancellation(transport))).tools()
    const controller = new AbortController()
    const { agent } = agentOf(tools, [['wait'], ['cancelled']])
    const running = agent.generate('Wait.', { abortSignal: controller.signal })
    await called
    controller.abort()
    expect(await running).toHaveStatus('aborted')
    const { agent: asks } = agentOf(tools, [['cancelled']])
    expect(textIn(await asks.generate('How many?'))).toBe('1')
  })

  test('cancels the call at a server over HTTP', async () => {
    const cancelled = { count: 0 }
    const waits = Promise.withResolvers<void>()
    const server = await serve(() => officeServer({ cancelled, onWait: waits.resolve }))
    const transport = new StreamableHTTPClientTransport(server.url) as unknown as MCPTransport
    const tools = await (await connect(withCancellation(transport))).tools()
    const controller = new AbortController()
    const { agent } = agentOf(tools, [['wait']])
    const running = agent.generate('Wait.', { abortSignal: controller.signal })
    await waits.promise
    controller.abort()
    expect(await running).toHaveStatus('aborted')
    await expect.poll(() => cancelled.count).toBe(1)
  })

  test('sends nothing for calls that were answered before', async () => {
    const { transport } = watchCalls(stdioTransport())
    const methods: string[] = []
    const send = transport.send
    transport.send = (message, ...rest) => {
      if ('method' in message) methods.push(message.method)
      return send.call(transport, message, ...rest)
    }
    const tools = await (await connect(withCancellation(transport))).tools()
    const blocks: Processor = {
      id: 'blocks',
      processToolStep: ({ abort }) => abort('No more.'),
    }
    expect(await agentOf(tools, [['pid']], [blocks]).agent.generate('Hi')).toHaveTripped()
    expect(methods).toContain('tools/call')
    expect(methods).not.toContain('notifications/cancelled')
  })
})

const rain = { city: 'Oslo', degrees: 4 }
const rainText = JSON.stringify(rain)
const text = (value: string) => ({ type: 'text' as const, text: value })
const link = { type: 'resource_link', uri: 'https://example.com/a.txt', name: 'a' } as const
const resource = {
  type: 'resource',
  resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'Inside.' },
} as const
const image = { type: 'image', mimeType: 'image/png', data: PIXEL } as const
const meta = { _meta: { trace: 'for the client' } }

describe('the result of an MCP tool', () => {
  /** What the model sees of a result: by the client's tools as they are, and by `McpTools`. */
  async function shown(result: CallToolResult, processors: Processor[] = []): Promise<unknown[]> {
    const server = await serve(() => resultServer(result))
    const outputs: unknown[] = []
    for (const tools of [await (await http(server)).tools(), mcpTools({ a: () => http(server) }).list]) {
      const name = typeof tools === 'function' ? 'a_result' : 'result'
      const { agent, model } = agentOf(tools, [[name]], processors)
      await agent.generate('Hi')
      const [part] = (model.lastPrompt.at(-1)?.content ?? []) as { output: object }[]
      outputs.push(part?.output)
    }
    return outputs
  }

  test.each<[string, CallToolResult, object[]]>([
    ['structured content alone', { content: [], structuredContent: rain }, [text(rainText)]],
    ['metadata', { content: [], structuredContent: rain, ...meta }, [text(rainText)]],
    [
      'a sentence and structured content',
      { content: [text('It rains.')], structuredContent: rain },
      [text('It rains.'), text(rainText)],
    ],
    [
      'an empty text and structured content',
      { content: [text('')], structuredContent: rain },
      [text(rainText)],
    ],
    [
      'structured content and its text',
      { content: [text(JSON.stringify(rain, null, 2))], structuredContent: rain },
      [text(JSON.stringify(rain, null, 2))],
    ],
    ['a wrapped text', { content: [text('rain')], structuredContent: { result: 'rain' } }, [text('rain')]],
    [
      'a wrapped list',
      { content: [text('[1, 2]')], structuredContent: { result: [1, 2] } },
      [text('[1, 2]')],
    ],
    [
      'an image and structured content',
      { content: [image], structuredContent: rain },
      [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: PIXEL } }, text(rainText)],
    ],
    ['a link', { content: [link] }, [text(JSON.stringify(link))]],
    [
      'a resource',
      { content: [resource, text('And this.')] },
      [text(JSON.stringify(resource)), text('And this.')],
    ],
  ])('shows the model all of %s', async (_, result, value) => {
    expect(await shown(result)).toEqual([
      { type: 'content', value },
      { type: 'content', value },
    ])
  })

  test('shows the model an empty MCP result only if it is empty', async () => {
    expect(await shown({ content: [] })).toEqual(Array(2).fill({ type: 'text', value: '' }))
  })

  test.each<[string, CallToolResult, string]>([
    ['texts', { content: [text('No.'), text('Ask.')] }, 'No.\nAsk.'],
    ['structured content', { content: [], structuredContent: rain }, rainText],
    ['both', { content: [text('No.')], structuredContent: rain }, `No.\n${rainText}`],
    ['a resource and a link', { content: [resource, link] }, 'Inside.\nhttps://example.com/a.txt'],
    ['nothing', { content: [] }, 'The tool failed without a message.'],
  ])('is an error with all of its text if it failed with %s', async (_, result, value) => {
    const [, output] = await shown({ ...result, isError: true })
    expect(output).toEqual({ type: 'error-text', value })
  })

  test('shows processors an MCP result with its structured content, and the model what they left', async () => {
    const seen: unknown[] = []
    const guard: Processor = {
      id: 'guard',
      processExecution({ direction, value }) {
        if (direction !== 'view') return undefined
        seen.push(JSON.parse(JSON.stringify(value)))
        return { value: { type: 'content', value: [text('removed')] } }
      },
    }
    expect(await shown({ content: [text('It rains.')], structuredContent: rain }, [guard])).toEqual(
      Array(2).fill({ type: 'content', value: [text('removed')] }),
    )
    expect(seen).toEqual(Array(2).fill({ type: 'content', value: [text('It rains.'), text(rainText)] }))
  })

  test('shows an MCP result as the application shows it', async () => {
    const server = await serve(() => resultServer({ content: [], structuredContent: rain }))
    const { result } = (await (await http(server)).tools()) as ToolSet
    const toModelOutput = () => ({ type: 'text', value: 'hidden' }) as const
    const { agent, model } = agentOf({ result: { ...result, toModelOutput } as ToolSet[string] }, [
      ['result'],
    ])
    await agent.generate('Hi')
    expect(model.lastPrompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'text', value: 'hidden' } }],
    })
  })
})

describe('McpTools', () => {
  test('lists tools of several servers with their prefixes, next to tools of the application', async () => {
    const mcp = mcpTools({ here: () => connect(stdioTransport()), there: async () => http(await serve()) })
    const pid = tool({ inputSchema: z.object({}), execute: () => 'mine' })
    const own = async () => ({ ...(await mcp.list()), pid })
    const names = ['pid', 'here_pid', 'there_pid']
    const { agent, model } = agentOf(
      own,
      names.map((name) => [name]),
    )
    const [mine, here, there] = [
      await agent.generate('1'),
      await agent.generate('2'),
      await agent.generate('3'),
    ]
    expect(resultOf(mine)).toMatchObject({ toolName: 'pid', output: 'mine' })
    expect(textIn(there)).toBe(`${process.pid}`)
    expect(Number(textIn(here))).not.toBe(process.pid)
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
  })

  test('does not replace a tool of one server by that of another, whatever its name', async () => {
    const tools = { one: { inputSchema: z.object({}) } } as unknown as ToolSet
    const client = (names: readonly string[]) => async () => ({
      tools: async () => Object.fromEntries(names.map((name) => [name, tools.one])) as ToolSet,
      close: async () => {},
    })
    const listed = await new McpTools({ a: client(['b/c', '__proto__', 'über', 'x'.repeat(80)]) }).list()
    expect(Object.keys(listed)).toEqual(['a_b_c', 'a___proto__', 'a__ber', `a_${'x'.repeat(62)}`])
    const clash = new McpTools({ a: client(['b_c']), a_b: client(['c']) })
    await expect(clash.list()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining("'a_b_c'"),
    })
  })

  test('lists the tools again in each turn: they may be added, removed and changed', async () => {
    const servers: ReturnType<typeof officeServer>[] = []
    const server = await serve(() => {
      const one = officeServer()
      servers.push(one)
      return one
    })
    const mcp = mcpTools({ office: () => http(server) })
    const { agent, model } = agentOf(mcp.list, [])
    const named = async () => {
      await agent.generate('Hi')
      return Object.fromEntries(
        (model.lastCall.tools ?? []).map((one) => [one.name, 'description' in one && one.description]),
      )
    }
    const before = await named()
    expect(before).not.toHaveProperty('office_lamp')
    const [office] = servers
    const lamp = office?.registerTool('lamp', { description: 'Turns the lamp on' }, () => ({ content: [] }))
    expect(await named()).toMatchObject({ office_lamp: 'Turns the lamp on' })
    lamp?.update({ description: 'Turns the lamp off' })
    expect(await named()).toMatchObject({ office_lamp: 'Turns the lamp off' })
    lamp?.remove()
    expect(await named()).toEqual(before)
    expect(servers).toHaveLength(1)
  })

  test('keeps the tools of a run: a removed one is an error that the model sees', async () => {
    const servers: ReturnType<typeof officeServer>[] = []
    const server = await serve(() => {
      const one = officeServer()
      servers.push(one)
      return one
    })
    const mcp = mcpTools({ office: () => http(server) })
    await mcp.list()
    const lamp = servers[0]?.registerTool('lamp', {}, () => ({ content: [] }))
    const removes: Processor = { id: 'removes', processToolCall: () => lamp?.remove() }
    const { agent } = agentOf(mcp.list, [['office_lamp']], [removes])
    expect(resultOf(await agent.generate('Hi'))).toMatchObject({
      status: 'error',
      error: expect.stringContaining('lamp'),
    })
  })

  test('finds the tool of a run that waited for an approval, also on another connection', async () => {
    const server = await serve()
    const storage = new InMemoryStore()
    const agent = () => {
      const mcp = mcpTools({ office: () => http(server) })
      return new Agent({
        model: new ScriptedModel(({ prompt }) =>
          prompt.at(-1)?.role === 'tool' ? 'Five.' : toolCall('office_add', { a: 2, b: 3 }),
        ),
        tools: mcp.list,
        toolApproval: { office_add: 'user-approval' },
        storage,
      })
    }
    const { runId, status } = await agent().generate('2 + 3?')
    expect(status).toBe('suspended')
    await server.restart()
    const resumed = await agent().resume(runId, { approved: true })
    expect(resumed).toHaveText('Five.')
    expect(resultOf(resumed)).toMatchObject({ output: { structuredContent: { sum: 5 } } })
  })

  test('does not connect again once it is closed, not even for a pending list', async () => {
    let connections = 0
    const listing = Promise.withResolvers<ToolSet>()
    const mcp = new McpTools({
      slow: async () => {
        connections++
        return { tools: () => listing.promise, close: async () => listing.reject(new Error('Closed.')) }
      },
    })
    const lists = expect(mcp.list()).rejects.toMatchObject({ code: 'TOOL_LIST_FAILED' })
    await mcp.close()
    await lists
    await expect(mcp.list()).rejects.toMatchObject({ cause: { message: 'The connection was closed.' } })
    expect(connections).toBe(1)
  })

  test('gives every tool a valid and unique name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 90 })), async (names) => {
        const one = { inputSchema: z.object({}) } as ToolSet[string]
        const tools = Object.fromEntries(names.map((name) => [name, one]))
        const mcp = new McpTools({ a: async () => ({ tools: async () => tools, close: async () => {} }) })
        const listed = await mcp.list().then(Object.keys, (error: unknown) => error)
        if (!Array.isArray(listed)) {
          expect(listed).toMatchObject({ code: 'CONFIG_INVALID' })
          return
        }
        expect(listed).toHaveLength(Object.keys(tools).length)
        for (const name of listed) expect(name).toMatch(/^a_[\w-]{0,62}$/)
      }),
      { numRuns: process.env.MILLRACE_THOROUGH === '1' ? 2_000 : 40 },
    )
  })

  test('reconnects after a server over stdio has ended, in the next turn; in this one the model sees an error', async () => {
    const mcp = mcpTools({ office: () => connect(withCancellation(stdioTransport())) })
    const asks = () => agentOf(mcp.list, [['office_pid']]).agent.generate('Which?')
    const { agent } = agentOf(mcp.list, [['office_exit']])
    const first = Number(textIn(await asks()))
    expect(resultOf(await agent.generate('End.'))).toMatchObject({
      status: 'error',
      error: 'Connection closed',
    })
    const [second, third] = (await Promise.all([asks(), asks()])).map((result) => Number(textIn(result)))
    expect(second).not.toBe(first)
    // Two runs at the same time share the connection.
    expect(third).toBe(second)
    await mcp.close()
    await expect.poll(() => [first, second as number].map(isAlive)).toEqual([false, false])
  })

  test('reconnects to a server over HTTP that was restarted', async () => {
    const server = await serve()
    const mcp = mcpTools({ office: () => http(server) })
    const { agent } = agentOf(mcp.list, [['office_pid'], ['office_pid']])
    expect(textIn(await agent.generate('Which?'))).toBe(`${process.pid}`)
    await server.restart()
    expect(textIn(await agent.generate('Which?'))).toBe(`${process.pid}`)
  })

  test.each(['deny', 'throw'])('converts error results of a server to errors: %s', async (name) => {
    const server = await serve()
    const mcp = mcpTools({ office: () => http(server) })
    const { agent, model } = agentOf(mcp.list, [[`office_${name}`]])
    const error = name === 'deny' ? 'The door is locked.\nAsk Grace.' : 'The bulb broke.'
    expect(resultOf(await agent.generate('Hi'))).toMatchObject({ status: 'error', error })
    expect(model.lastPrompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'error-text', value: error } }],
    })
  })

  test('fails a run if a server is not reachable, or continues without it', async () => {
    const server = await serve()
    const away = async (): Promise<never> => {
      throw new Error('connect ECONNREFUSED')
    }
    const servers = { office: () => http(server), away }
    const { agent } = agentOf(mcpTools(servers).list, [])
    await expect(agent.generate('Hi')).rejects.toMatchObject({
      code: 'TOOL_LIST_FAILED',
      message: expect.stringContaining("'away'"),
      cause: { message: 'connect ECONNREFUSED' },
    })
    const skips = agentOf(mcpTools(servers, { onError: 'skip' }).list, [['office_pid']])
    expect(textIn(await skips.agent.generate('Hi'))).toBe(`${process.pid}`)
  })

  test('tries again in the next turn if a server was not reachable', async () => {
    let tries = 0
    const server = await serve()
    const mcp = mcpTools({
      office: async () => {
        tries++
        if (tries === 1) throw new Error('connect ECONNREFUSED')
        return http(server)
      },
    })
    await expect(mcp.list()).rejects.toMatchObject({ code: 'TOOL_LIST_FAILED' })
    expect(Object.keys(await mcp.list())).toContain('office_add')
    expect(tries).toBe(2)
  })

  test('refuses invalid options', () => {
    const connects = async () => ({ tools: async () => ({}), close: async () => {} })
    expect(() => new McpTools({ 'my server': connects })).toThrow(/'my server' cannot be the name/)
    expect(() => new McpTools({ a: {} as never })).toThrow(/'a' is of type object.*a function that connects/)
    expect(() => new McpTools({ a: connects }, { onError: 'retry' as never })).toThrow(/onError is 'retry'/)
  })
})
