import { type Message, type StoredMessage, textOfParts } from '@millrace/core'
import { contextMessage, escapeClosingTag } from '../context-message.ts'
import { namedSpeaker } from './speaker.ts'

/** Longer messages are cut: an excerpt is enough to remind the model. */
const MAX_CHARACTERS = 2_000

const TAG = 'recalled-messages'

/** The recalled messages, with time and speaker, as one context message. */
export function recalledMessage(messages: readonly StoredMessage[], id: string): Message {
  const lines: string[] = []
  let threadId: string | undefined
  let last = 0
  for (const { message, sequence } of messages) {
    if (lines.length > 0 && (message.threadId !== threadId || sequence > last + 1)) lines.push('…')
    threadId = message.threadId
    last = sequence
    lines.push(lineOf(message))
  }
  return contextMessage({
    id,
    tag: TAG,
    about: 'Excerpts of earlier conversations that may bear on the next message: a record of what was said.',
    body: lines.join('\n'),
  })
}

/** Formats one recalled message. */
export function lineOf({ role, content, createdAt }: Message): string {
  const time = createdAt.toISOString().slice(0, 16).replace('T', ' ')
  const who = namedSpeaker(content.metadata?.speaker) ?? role
  return escapeClosingTag(`[${time}] ${who}: ${shortened(textOfParts(content.parts))}`, TAG)
}

function shortened(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  return `${text.slice(0, MAX_CHARACTERS).toWellFormed()} […]`
}
