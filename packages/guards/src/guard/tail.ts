import type { Message, MessagePart } from '@millrace/core'
import { CONTEXT_WINDOW } from '../scanner/recognizer.ts'
import type { Before } from './inspector.ts'

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
export type CutPart = (message: Message, part: MessagePart, keep: number) => void

interface Segment {
  readonly message: Message
  readonly part: MessagePart
  /** Where the tail begins in the part's text. It reaches to the end of that text. */
  readonly start: number
  readonly text: string
}

/**
 * The end of what one role has said, in one kind of prose, and a function to cut it.
 *
 * @param blocks Its messages, in order
 *
 * @param options.open How many units at the end may be the beginning of a match
 */
export function endOf(
  blocks: readonly Block[],
  { kind, open, cut }: { kind: Prose; open: number; cut: CutPart },
): Before | undefined {
  if (open === 0) return undefined
  const segments: Segment[] = []
  let left = open + CONTEXT
  for (let block = blocks.length - 1; block >= 0 && left > 0; block--) {
    const { message, parts } = blocks[block] as Block
    for (let index = parts.length - 1; index >= 0 && left > 0; index--) {
      const part = parts[index] as MessagePart
      if (!isProse(part, kind) || part.text === '') continue
      const start = Math.max(0, part.text.length - left)
      segments.unshift({ message, part, start, text: part.text.slice(start) })
      left -= part.text.length
    }
  }
  if (segments.length === 0) return undefined
  return {
    text: segments.map(({ text }) => text).join(''),
    cut(from) {
      let offset = 0
      for (const { text, start, message, part } of segments) {
        const keep = Math.max(0, Math.min(text.length, from - offset))
        offset += text.length
        if (keep < text.length) cut(message, part, start + keep)
      }
    },
  }
}

export function isProse(part: MessagePart, kind: Prose): part is MessagePart & { text: string } {
  const { type, text } = part as { type: string; text?: unknown }
  if (typeof text !== 'string') return false
  return kind === 'text' ? type === 'text' : type === 'reasoning' || type === 'thinking'
}
