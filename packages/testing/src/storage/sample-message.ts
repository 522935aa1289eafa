import type { Message, StoredMessage } from '@millrace/core'

/** A message with a unique id and a fixed timestamp. */
export function sampleMessage(id: string, text = `Text of ${id}`, fields: Partial<Message> = {}): Message {
  return {
    id,
    role: 'user',
    content: { parts: [{ type: 'text', text }] },
    createdAt: new Date(Date.UTC(2026, 0, 1)),
    ...fields,
  }
}

export function sampleMessages(count: number, prefix = 'message'): Message[] {
  return Array.from({ length: count }, (_, index) => sampleMessage(`${prefix}-${index}`))
}

export function idsOf(stored: readonly StoredMessage[]): string[] {
  return stored.map(({ message }) => message.id)
}
