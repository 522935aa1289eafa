import type { MessagePart, TextPart } from '@millrace/core'

/** Parts with one text in the place of all: where the last of them was. What is not text stays. */
export function replaceText(parts: readonly MessagePart[], text: string): MessagePart[] {
  const last = parts.findLastIndex(({ type }) => type === 'text')
  return parts.flatMap((part, index): MessagePart[] => {
    if (part.type !== 'text') return [part]
    return index === last ? [{ ...(part as TextPart), text }] : []
  })
}
