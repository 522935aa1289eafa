/** Uses the tools of an MCP server, and lists them again in each turn. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMCPClient, type MCPTransport } from '@ai-sdk/mcp'
import { Agent } from '@millrace/core'
import { McpTools, withCancellation } from '@millrace/core/mcp'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

// The server: a mill with a tool for the water level. The first call adds a tool for the speed of the wheel.
const mill = new McpServer({ name: 'mill', version: '1.0.0' })
mill.registerTool(
  'level',
  { description: 'The level of the water', inputSchema: { at: z.string() } },
  ({ at }) => ({
    content: [{ type: 'text', text: `2.1 m at the ${at}` }],
  }),
)
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() })
await mill.connect(transport as Parameters<McpServer['connect']>[0])
const http = createServer((request, response) => void transport.handleRequest(request, response))
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`)

const mcp = new McpTools({
  mill: () =>
    createMCPClient({
      transport: withCancellation(new StreamableHTTPClientTransport(url) as unknown as MCPTransport),
    }),
})
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([
  toolCall('mill_level', { at: 'weir' }),
  'There is enough water.',
  toolCall('mill_speed'),
  'It turns.',
])
const agent = new Agent({ name: 'miller', model, tools: mcp.list })

const first = await agent.generate('Is there enough water?')
mill.registerTool('speed', { description: 'How fast the wheel turns' }, () => ({
  content: [{ type: 'text', text: '8 turns a minute' }],
}))
const second = await agent.generate('Does the wheel turn?')
for (const { toolResults } of [...first.steps, ...second.steps]) {
  for (const { toolName, status } of toolResults) console.log(toolName, status)
}
assert.deepEqual(
  model.calls.map(({ tools = [] }) => tools.length),
  [1, 1, 2, 2],
)

await mcp.close()
http.closeAllConnections()
http.close()
