import type { MessagePart, TextPart } from '@millrace/core'

/** The parts with `text` in place of the last text part, and without the others. Parts that are not text are kept. */
export function replaceText(parts: readonly MessagePart[], text: string): MessagePart[] {
  const last = parts.findLastIndex(({ type }) => type === 'text')
  return parts.flatMap((part, index): MessagePart[] => {
    if (part.type !== 'text') return [part]
    return index === last ? [{ ...(part as TextPart), text }] : []
  })
}
