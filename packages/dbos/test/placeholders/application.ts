// An agent whose tools and readers get originals and whose model gets placeholders, in every process.
import { Agent, tool } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'
import { durable } from '../../src/index.ts'

/** A line of JSON on standard output. */
export type Report = { type: 'asked'; step: number } | { type: 'mailed'; to: string }

const say = (report: Report): void => void process.stdout.write(`${JSON.stringify(report)}\n`)

const mail = tool({
  inputSchema: z.object({ to: z.email() }),
  execute: ({ to }) => {
    say({ type: 'mailed', to })
    return { sentTo: to, copyTo: 'al@example.org' }
  },
})

const model = new ScriptedModel(async ({ prompt }) => {
  const step = prompt.filter(({ role }) => role === 'assistant').length
  say({ type: 'asked', step })
  if (step === Number(process.env.MILLRACE_HANGS_AT)) await new Promise(() => {})
  const [first, copied] = new Set(JSON.stringify(prompt).match(/\[EMAIL_[0-9a-f]{12}\]/g))
  if (step === 0) return ['First. ', toolCall('mail', { to: first }, { id: 'mail-0' })]
  if (step === 1) return ['Then. ', toolCall('mail', { to: copied }, { id: 'mail-1' })]
  return `${first} and ${copied} have it.`
})

export const writing = durable(
  new Agent({
    name: 'writer',
    model,
    tools: { mail },
    processors: [new PIIDetector({ redaction: 'tokenize', hashKey: 'secret' })],
  }),
)
