import { Agent, type LanguageModelV4, type Tool, tool } from '@millrace/core'
import { RegexFilter } from '@millrace/guards/regex-filter'
import type { Memory } from '@millrace/memory'
import { PIIDetector } from '@millrace/pii'
import { z } from 'zod'
import { noPromises } from './no-promises.ts'

const INSTRUCTIONS = `You answer customers of Fernhill Bicycles. Be brief and friendly. Look orders up before you speak about them.
The voucher STAFF-7731 is for staff alone.`

const order = z.string().regex(/^\d{3,8}$/)

/** Fictional data, always the same for the same order. */
const orderStatus: Tool<{ order: string }, { order: string; state: string }> = tool({
  description: 'Where an order is',
  inputSchema: z.object({ order }),
  execute: ({ order }) => {
    const states = ['packed and waiting for the courier', 'on its way to you', 'being assembled'] as const
    return { order, state: states[Number(order) % states.length] ?? states[0] }
  },
})

const refund: Tool<{ order: string; amount: number }, { order: string; amount: number }> = tool({
  description: 'Refunds an amount in euros. A person approves it first.',
  inputSchema: z.object({ order, amount: z.number().positive().max(500) }),
  needsApproval: true,
  execute: ({ order, amount }) => ({ order, amount }),
})

/** An agent with two tools, guards on its output, and a memory that stores the output after the guards. */
export function supportAgent(model: LanguageModelV4, memory: Memory): Agent {
  return new Agent({
    name: 'support',
    model,
    instructions: INSTRUCTIONS,
    tools: { orderStatus, refund },
    processors: [
      new PIIDetector({ strategy: 'redact', redaction: 'type' }),
      new RegexFilter({
        id: 'staff-vouchers',
        patterns: [{ pattern: /\bSTAFF-\d{4}\b/, type: 'staff voucher' }],
      }),
      noPromises,
    ],
    memory,
    storage: memory.storage,
  })
}
