import type { Message, MessagePart } from '@millrace/core'
import { CONTEXT_WINDOW } from '../scanner/recognizer.ts'
import type { PrecedingText } from './inspector.ts'

/** The text before a possible match that its score may depend on, and one whole character. */
const CONTEXT = CONTEXT_WINDOW + 2

/** The kinds of prose that are read on from message to message of a role. */
export const PROSE = ['text', 'reasoning'] as const

export type Prose = (typeof PROSE)[number]

/** Parts of a message. */
export interface Block {
  readonly message: Message
  readonly parts: readonly MessagePart[]
}

/** Removes the end of a part: everything from `keep` on. */
export type TruncatePart = (message: Message, part: MessagePart, keep: number) => void

interface Segment {
  readonly message: Message
  readonly part: MessagePart
  /** Where this segment begins in the text of the part. It extends to the end of that text. */
  readonly start: number
  readonly text: string
}

/**
 * The end of the preceding text of one role, in one kind of prose, with a function to truncate it.
 *
 * @param blocks Its messages, in order
 *
 * @param options.open How many units at the end may be the beginning of a match
 */
export function precedingTextOf(
  blocks: readonly Block[],
  { kind, open, truncate }: { kind: Prose; open: number; truncate: TruncatePart },
): PrecedingText | undefined {
  if (open === 0) return undefined
  const segments: Segment[] = []
  let remaining = open + CONTEXT
  for (let block = blocks.length - 1; block >= 0 && remaining > 0; block--) {
    const { message, parts } = blocks[block] as Block
    for (let index = parts.length - 1; index >= 0 && remaining > 0; index--) {
      const part = parts[index] as MessagePart
      if (!isProse(part, kind) || part.text === '') continue
      const start = Math.max(0, part.text.length - remaining)
      segments.unshift({ message, part, start, text: part.text.slice(start) })
      remaining -= part.text.length
    }
  }
  if (segments.length === 0) return undefined
  return {
    text: segments.map(({ text }) => text).join(''),
    truncate(from) {
      let offset = 0
      for (const { text, start, message, part } of segments) {
        const keep = Math.max(0, Math.min(text.length, from - offset))
        offset += text.length
        if (keep < text.length) truncate(message, part, start + keep)
      }
    },
  }
}

export function isProse(part: MessagePart, kind: Prose): part is MessagePart & { text: string } {
  const { type, text } = part as { type: string; text?: unknown }
  if (typeof text !== 'string') return false
  return kind === 'text' ? type === 'text' : type === 'reasoning' || type === 'thinking'
}
