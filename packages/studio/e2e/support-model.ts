import { type Gate, ScriptedModel, type TurnContent, text, toolCall } from '@millrace/testing'

export const EMAIL = 'ada.example@example.com'
export const REJECTED = 'Answer without a promise.'

/** Words of the longest answer, a chunk each. */
const WORDS = 5_000

type Prompt = Parameters<
  Extract<ConstructorParameters<typeof ScriptedModel>[0], (...args: never) => unknown>
>[0]['prompt']

/** A rule-based model: the last message decides its answer. At a gate it waits in the middle of a story. */
export function supportModel({
  gate,
  modelId = 'shop-model',
}: {
  gate?: Gate
  modelId?: string
} = {}): ScriptedModel {
  return new ScriptedModel(({ prompt }) => answer(prompt, gate), { modelId })
}

function answer(prompt: Prompt, gate: Gate | undefined): TurnContent {
  const last = prompt.at(-1)
  if (last?.role === 'tool') return afterTool(JSON.stringify(last.content))
  const question = lastQuestion(prompt)
  if (question.includes(REJECTED)) return 'It should come tomorrow, though parcels are late at times.'
  if (/refund both/i.test(question)) {
    return [
      toolCall('refund', { number: 'A-17', amount: 48 }),
      toolCall('refund', { number: 'B-20', amount: 900 }),
    ]
  }
  if (/refund/i.test(question)) return toolCall('refund', { number: 'A-17', amount: 48 })
  if (/order/i.test(question)) return ['Let me look. ', toolCall('order', { number: 'A-17' })]
  if (/parcel/i.test(question)) return toolCall('parcel', { number: 'A-17' })
  if (/colou?r/i.test(question)) return toolCall('askPerson', { question: 'Which colour?' })
  if (/warehouse/i.test(question)) return toolCall('warehouse', { prompt: 'Is the red one there?' })
  if (/is the red one/i.test(question)) return 'There are three red ones.'
  if (/tomorrow/i.test(question))
    return text('Yes, I guarantee that it comes tomorrow at nine.', { chunkSize: 4 })
  if (/all parts/i.test(question)) return text('word '.repeat(WORDS))
  if (/story/i.test(question))
    return ['Once there was a mill. ', ...(gate ? [gate] : []), 'Its wheel still turns.']
  return `You said: ${question}`
}

function afterTool(content: string): TurnContent {
  if (/denied/.test(content) && /Paid/.test(content)) return 'I paid one of them back.'
  if (/denied/.test(content)) return 'I paid nothing back.'
  if (/colour/.test(content)) return `So it is ${/"colour":"(\w+)"/.exec(content)?.[1] ?? 'that'}.`
  if (/Sent to/.test(content)) return 'The parcel is on its way.'
  if (/three red ones/.test(content)) return 'The warehouse has three.'
  if (/Paid/.test(content)) return 'I paid 48 back.'
  return `Order A-17 is on its way. The letter went to ${EMAIL}.`
}

function lastQuestion(prompt: Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user')
  if (message?.role !== 'user') return ''
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
}
