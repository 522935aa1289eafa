import type { LanguageModelV4 } from '@ai-sdk/provider'
import { Agent, tool } from '@millrace/core'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { SecretDetector } from '@millrace/guards/secrets'
import type { Memory } from '@millrace/memory'
import { PIIDetector } from '@millrace/pii'
import { z } from 'zod'

/** The tools of the agent. The second one waits until a person approves the call. */
const tools = {
  listOrders: tool({
    description: 'The orders of the customer',
    inputSchema: z.object({}),
    execute: () => [{ id: 'A-1', item: 'a lamp', price: 20 }],
  }),
  refund: tool({
    description: 'Pays the price of an order back',
    inputSchema: z.object({ orderId: z.string() }),
    needsApproval: true,
    execute: ({ orderId }) => `refunded ${orderId}`,
  }),
}

/**
 * Creates the agent. Guards come first: the model and the memory do not see what they redact or block.
 *
 * @param model A model of the AI SDK
 */
export function createAgent(model: LanguageModelV4, memory: Memory): Agent<typeof tools> {
  return new Agent({
    name: 'shop',
    model,
    instructions: 'You answer for a shop. Answer in one or two sentences.',
    tools,
    processors: [
      new PromptInjectionDetector(),
      new SecretDetector({ strategy: 'redact' }),
      new PIIDetector({ strategy: 'redact' }),
    ],
    memory,
  })
}
