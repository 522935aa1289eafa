/** Handoff: an agent passes the turn to a specialist, who answers in its place. */
import assert from 'node:assert/strict'
import { Agent, tool } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const billing = new Agent({
  name: 'billing',
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([
    toolCall('refund', { euros: 20 }),
    'Refunded. The receipt goes to ada@example.com.',
  ]),
  tools: {
    refund: tool({
      inputSchema: z.object({ euros: z.number() }),
      needsApproval: true,
      execute: ({ euros }) => `refunded ${euros}`,
    }),
  },
})

const frontDesk = new Agent({
  name: 'front-desk',
  model: new ScriptedModel([toolCall('to_billing', { prompt: 'Refund 20 euros to order 7.' })]),
  tools: { to_billing: billing.asTool({ handoff: true, description: 'For invoices and refunds' }) },
  // The guards of the front desk also apply to the answer of the specialist.
  processors: [new PIIDetector({ strategy: 'redact' })],
})

const first = await frontDesk.generate('I want my 20 euros back.')
assert.equal(first.status, 'suspended') // the refund waits for an approval, so the turn is suspended
const second = await first.suspension.resume({ approved: true })
console.log(second.text) // Refunded. The receipt goes to ***@***.***.
assert.equal(second.status, 'completed')
assert.ok(second.text.startsWith('Refunded.') && !second.text.includes('ada@'))
assert.equal(second.steps.at(-1)?.agentName, 'billing')
