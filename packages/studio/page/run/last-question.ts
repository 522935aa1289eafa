import type { MessageView } from '../../src/wire.ts'

/**
 * The text of the user's last message. Nothing where it is not kept whole: sent back, it would take the place of what was
 * asked. The same holds where a value in it is hidden.
 */
export function lastQuestion(messages: readonly MessageView[]): string | undefined {
  const message = messages.findLast(({ role }) => role === 'user')
  const texts = message?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  const isWhole = texts.every(({ text, cut = false }) => !cut && !text.includes('••'))
  return texts.length > 0 && isWhole ? texts.map(({ text }) => text).join('\n') : undefined
}
