import type { Message } from '@millrace/core'

export function message(id: string, text: string): Message {
  return {
    id,
    role: 'user',
    content: { parts: [{ type: 'text', text }] },
    createdAt: new Date(Date.UTC(2026, 0, 1)),
  }
}
