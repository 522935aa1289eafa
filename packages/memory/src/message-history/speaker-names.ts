import type { Message } from '@millrace/core'
import { contextMessage } from '../context-message.ts'

/** The name is written before the text, not inside an element, so only characters of names are accepted. */
const NAME = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} .,'’_@-]{0,59}$/u

/** Prefixes the text of user messages with the name of their author, if they have one. */
export function withNames(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    const name = nameOf(message)
    if (name === undefined) return message
    const { content } = message
    const first = content.parts.findIndex(({ type }) => type === 'text')
    const parts =
      first < 0
        ? [{ type: 'text' as const, text: `${name}:` }, ...content.parts]
        : content.parts.map((part, index) =>
            index === first && part.type === 'text' ? { ...part, text: `${name}: ${part.text}` } : part,
          )
    return { ...message, content: { ...content, parts } }
  })
}

/**
 * A context message that names the author of the new message. The message itself is stored, so it is not
 * changed.
 */
export function speakerMessage(message: Message | undefined): Message | undefined {
  const name = message && nameOf(message)
  if (name === undefined) return undefined
  return contextMessage({
    id: 'speaker',
    tag: 'speaker',
    about: 'Who says what follows.',
    body: name,
  })
}

function nameOf({ role, content }: Message): string | undefined {
  const speaker = content.metadata?.speaker
  return role === 'user' && typeof speaker === 'string' && NAME.test(speaker) ? speaker : undefined
}
