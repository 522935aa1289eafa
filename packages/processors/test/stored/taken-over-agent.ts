import { Agent, type RunStore, tool } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

export const OWNER = { resourceId: 'ada' }

/** How long a run is reserved after its process has died, in milliseconds. */
const LEASE = 1_000

export interface MailingOptions {
  storage: RunStore
  /** Called when the model is called after a mail; the call never returns. Default: the model answers. */
  onHang?: () => void
}

/** An agent that sends a mail to the last address in its prompt, and answers with the addresses it knows. */
export function mailing({ storage, onHang }: MailingOptions) {
  const model = new ScriptedModel(async ({ prompt }) => {
    const known = [...new Set(JSON.stringify(prompt).match(/\[EMAIL_[0-9a-f]{12}\]/g))]
    if (known.length === 1) return 'I know you.'
    if (!prompt.some(({ role }) => role === 'tool')) return [toolCall('mail', { to: known.at(-1) })]
    if (onHang) {
      onHang()
      await new Promise(() => {})
    }
    return `I know ${known.join(', ')}.`
  })
  const mail = tool({
    inputSchema: z.object({ to: z.email() }),
    execute: ({ to }) => ({ sentTo: to, copyTo: 'al@example.org' }),
  })
  const agent = new Agent({
    name: 'mailing',
    model,
    storage,
    checkpoint: 'step',
    runLease: LEASE,
    tools: { mail },
    processors: [new PIIDetector({ redaction: 'tokenize', hashKey: 'a key' })],
  })
  return { agent, model }
}
