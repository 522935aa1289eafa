import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { ScriptedModel, toolCall } from '@millrace/testing'

/** A rule-based model, so that the chat works without an API key. */
export function demoModel(): ScriptedModel {
  return new ScriptedModel(({ prompt }) => {
    const last = prompt.at(-1)
    if (last?.role === 'tool') {
      const [result] = last.content.filter((part) => part.type === 'tool-result')
      if (result?.output.type === 'execution-denied') return 'All right, I have refunded nothing.'
      return result?.toolName === 'refund'
        ? 'I have refunded A-1.'
        : 'You have ordered a lamp for 20: order A-1.'
    }
    const question = lastUserText(prompt)
    if (/refund/i.test(question)) return toolCall('refund', { orderId: 'A-1' })
    if (/order/i.test(question)) return toolCall('listOrders', {})
    return `You wrote: “${question}” Ask about your orders, or for a refund of A-1.`
  })
}

function lastUserText(prompt: LanguageModelV4Prompt): string {
  const message = prompt.findLast(({ role }) => role === 'user')
  if (message?.role !== 'user') return ''
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
}
