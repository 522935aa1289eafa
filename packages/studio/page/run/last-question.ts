import type { MessageView } from '../../src/wire.ts'

/**
 * The text of the user's last message. `undefined` if it is truncated or has a hidden value: a replay would then send a
 * different text.
 */
export function lastQuestion(messages: readonly MessageView[]): string | undefined {
  const message = messages.findLast(({ role }) => role === 'user')
  const texts = message?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  const isWhole = texts.every(({ text, cut = false }) => !cut && !text.includes('••'))
  return texts.length > 0 && isWhole ? texts.map(({ text }) => text).join('\n') : undefined
}
