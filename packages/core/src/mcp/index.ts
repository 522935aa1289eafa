export type { McpClient } from './connection.ts'
export { McpTools, type McpToolsOptions } from './mcp-tools.ts'
export { type McpMessage, type McpTransport, withCancellation } from './with-cancellation.ts'
