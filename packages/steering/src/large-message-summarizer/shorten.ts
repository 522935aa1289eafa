import type { MessagePart } from '@millrace/core'

/** The end of a text that was cut. */
export const CUT_MARK = '... [summarized]'

/** The beginning of a text, not cut within a surrogate pair. */
export function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text
  const unit = text.charCodeAt(length)
  const splitsPair = length > 0 && unit >= 0xdc00 && unit <= 0xdfff
  return text.slice(0, splitsPair ? length - 1 : length)
}

/** Cuts the text of parts after `length` UTF-16 units, and adds the mark. Parts that are not text are kept. */
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
