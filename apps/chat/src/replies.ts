import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { PROMISE_REFUSED } from './no-promises.ts'

/** The next action of the scripted model: text, or a tool call. */
export type Reply = { text: string } | { toolName: string; input: unknown }

const CARE = `A chain lasts about twice as long if you look after it. This takes ten minutes:

1. **Wipe** it with a dry cloth while you turn the pedals backwards.
2. **Clean** it with a brush and a little degreaser, and let it dry.
3. **Oil** it: one drop on each roller, on the inside of the chain.
4. **Wait** five minutes, then wipe off what is left on the outside.

Do it every 200 kilometres, and after each ride in heavy rain. If the chain still jumps between gears, it is worn: bring the bicycle to
the workshop, and we measure it while you wait.`

/** The answers by pattern; the first match counts. */
const ANSWERS: readonly (readonly [pattern: RegExp, reply: (text: string, prompt: string) => Reply])[] = [
  [/refund/i, (text) => ({ toolName: 'refund', input: { order: orderIn(text), amount: 48 } })],
  [/order|parcel|delivery/i, (text) => ({ toolName: 'orderStatus', input: { order: orderIn(text) } })],
  [/chain|care|clean/i, () => ({ text: CARE })],
  [
    /guarantee|promise|tomorrow/i,
    (_, prompt) => ({
      text: prompt.includes(PROMISE_REFUSED)
        ? 'Most parcels arrive within three days, but I cannot give you a fixed date.'
        : 'Yes, I guarantee that your parcel arrives tomorrow before noon, whatever happens on the way.',
    }),
  ],
  [
    /mechanic|contact|call|write to/i,
    () => ({ text: 'Our mechanic is Mia. You reach her at mia.fern@example.com, or in the workshop.' }),
  ],
  [
    /voucher|code|discount/i,
    () => ({
      text: 'Let me see which vouchers we have at the moment. There is one: STAFF-7731, for half the price.',
    }),
  ],
]

const HELP = `Hello! I look after orders at Fernhill Bicycles. You can ask where an order is, ask for a refund, or ask how to care
for your bicycle.`

export function replyTo(prompt: LanguageModelV4Prompt): Reply {
  const last = prompt.at(-1)
  if (last?.role === 'tool') {
    const results = last.content.filter((part) => part.type === 'tool-result')
    return { text: results.map(reportOf).join(' ') }
  }
  const text = lastUserText(prompt)
  const [system] = prompt
  if (system?.role === 'system' && system.content.startsWith('Write a title')) return { text: titleOf(text) }
  const all = JSON.stringify(prompt)
  const [, reply] = ANSWERS.find(([pattern]) => pattern.test(text)) ?? []
  return reply?.(text, all) ?? { text: HELP }
}

function reportOf({ toolName, output }: LanguageModelV4ToolResultPart): string {
  if (output.type === 'execution-denied')
    return 'All right. I refunded nothing, and the order stays as it is.'
  if (output.type !== 'json') return 'That did not work. Please try again in a moment.'
  const value = output.value as { order: string; state: string; amount: number }
  return toolName === 'refund'
    ? `I refunded €${value.amount.toFixed(2)} for order ${value.order}. It is on your account within two days.`
    : `Order ${value.order} is ${value.state}. You get a message as soon as that changes.`
}

function lastUserText(prompt: LanguageModelV4Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user')
  if (message?.role !== 'user') return ''
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
}

function titleOf(text: string): string {
  return text
    .replace(/[?!.].*$/s, '')
    .split(/\s+/)
    .slice(0, 8)
    .join(' ')
}

function orderIn(text: string): string {
  return /\d{3,}/.exec(text)?.[0] ?? '1042'
}
