import { once } from 'node:events'
import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'
import { FileRunStore } from './file-run-store.ts'

/** An agent that pays once it is allowed to. */
export function payingAgent(folder: string, paid: unknown[]): Agent {
  return new Agent({
    storage: new FileRunStore(folder),
    model: new ScriptedModel(({ prompt }) =>
      prompt.some(({ role }) => role === 'tool') ? 'Done.' : toolCall('pay', { amount: 7 }),
    ),
    tools: {
      pay: {
        ...tool({
          inputSchema: z.object({ amount: z.number() }),
          execute: (input) => {
            paid.push(input)
            return 'paid'
          },
        }),
        needsApproval: true,
      } as ReturnType<typeof tool>,
    },
  }) as unknown as Agent
}

// One of several processes: says that it is ready, waits for the start, resumes the run, and says how that went.
if (import.meta.main) {
  const [folder = '', runId = ''] = process.argv.slice(2)
  const paid: unknown[] = []
  const agent = payingAgent(folder, paid)
  process.send?.('ready')
  await once(process, 'message')
  const outcome = await agent.resume(runId, { approved: true }).then(
    ({ status }) => status,
    (error: unknown) => (error as { code: string }).code,
  )
  process.send?.({ outcome, paid: paid.length })
  process.disconnect()
}
