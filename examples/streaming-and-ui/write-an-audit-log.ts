/** Writes a record of every tool execution to an audit log. */
import assert from 'node:assert/strict'
import { Agent, tool } from '@millrace/core'
import { AuditLog } from '@millrace/steering/audit-log'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const records: { event: string; toolName?: string }[] = []
const auditLog = new AuditLog({
  sink: { write: (lines) => void records.push(...lines.map((line) => JSON.parse(line))) },
})
const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([toolCall('refund', { amount: 20 }), 'Done.']),
  tools: { refund: tool({ inputSchema: z.object({ amount: z.number() }), execute: () => 'refunded' }) },
  processors: [auditLog],
})

await agent.generate('Refund 20.', { resourceId: 'user-1' })
await auditLog.close()
console.log(records)
assert(records.some(({ toolName }) => toolName === 'refund'))
