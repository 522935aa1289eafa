import type { MessagePart } from '@millrace/core'

/** What a text ends in that was cut off. */
export const CUT_MARK = '... [summarized]'

/** The beginning of a text, without half a character at its end. */
export function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text
  const unit = text.charCodeAt(length)
  const splitsPair = length > 0 && unit >= 0xdc00 && unit <= 0xdfff
  return text.slice(0, splitsPair ? length - 1 : length)
}

/** Parts whose text ends after `length` UTF-16 units, with the mark. What is not text stays. */
export function cutParts(parts: readonly MessagePart[], length: number): MessagePart[] {
  let left = length
  let isCut = false
  return parts.flatMap((part): MessagePart[] => {
    if (part.type !== 'text') return [part]
    if (isCut) return []
    if (part.text.length <= left) {
      left -= part.text.length
      return [part]
    }
    isCut = true
    return [{ ...part, text: beginningOf(part.text, left) + CUT_MARK }]
  })
}
