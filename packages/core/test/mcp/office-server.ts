import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

/** A picture of one pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

interface OfficeOptions {
  /** Calls of `wait` that were cancelled. */
  cancelled?: { count: number }
  /** Called when `wait` has begun. */
  onWait?: () => void
}

/** A server with tools of all kinds. */
export function officeServer({ cancelled = { count: 0 }, onWait }: OfficeOptions = {}): McpServer {
  const server = new McpServer({ name: 'office', version: '1.0.0' })
  server.registerTool(
    'add',
    {
      title: 'Addition',
      description: 'Adds two numbers',
      inputSchema: { a: z.number().describe('The first number'), b: z.number() },
      outputSchema: { sum: z.number() },
    },
    ({ a, b }) => ({ content: [{ type: 'text', text: `${a + b}` }], structuredContent: { sum: a + b } }),
  )
  server.registerTool('picture', { description: 'Takes a picture' }, () => ({
    content: [
      { type: 'text', text: 'The office:' },
      { type: 'image', mimeType: 'image/png', data: PIXEL },
    ],
  }))
  server.registerTool('deny', { description: 'Says that it failed' }, () => ({
    content: [
      { type: 'text', text: 'The door is locked.' },
      { type: 'text', text: 'Ask Grace.' },
    ],
    isError: true,
  }))
  server.registerTool('throw', { description: 'Throws' }, () => {
    throw new Error('The bulb broke.')
  })
  server.registerTool('wait', { description: 'Waits until it is cancelled' }, (extra) => {
    onWait?.()
    return new Promise<CallToolResult>((resolve) => {
      const end = (): void => {
        cancelled.count++
        resolve({ content: [] })
      }
      if (extra.signal.aborted) end()
      else extra.signal.addEventListener('abort', end)
    })
  })
  server.registerTool('cancelled', { description: 'How many calls were cancelled' }, () => ({
    content: [{ type: 'text', text: `${cancelled.count}` }],
  }))
  server.registerTool('pid', { description: 'The process' }, () => ({
    content: [{ type: 'text', text: `${process.pid}` }],
  }))
  return server
}

/** A server whose tool `result` returns the given result. */
export function resultServer(result: CallToolResult): McpServer {
  const server = new McpServer({ name: 'result', version: '1.0.0' })
  server.registerTool('result', { description: 'Returns a result' }, () => result)
  return server
}
