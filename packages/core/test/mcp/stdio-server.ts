// An MCP server in a process of its own.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { officeServer } from './office-server.ts'

const server = officeServer()
server.registerTool('exit', { description: 'Ends the server' }, () => process.exit(1))
await server.connect(new StdioServerTransport())
