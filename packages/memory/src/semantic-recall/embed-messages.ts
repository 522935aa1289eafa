import { type Message, type Store, type ThreadKey, textOfParts } from '@millrace/core'
import type { Embedder } from './embedder.ts'

/** Embeds the messages that have text, and stores their vectors. Those that are not stored are left out. */
export async function embedMessages(
  messages: readonly Message[],
  { storage, embedder, threadId, resourceId }: { storage: Store; embedder: Embedder } & ThreadKey,
): Promise<void> {
  const texts = messages.flatMap(({ id, role, content }) => {
    const text = role === 'system' ? '' : textOfParts(content.parts)
    return text.trim() === '' ? [] : [{ id, text }]
  })
  if (texts.length === 0) return
  const vectors = await embedder.embed(texts.map(({ text }) => text))
  await storage.saveVectors({
    threadId,
    resourceId,
    model: embedder.name,
    vectors: texts.map(({ id }, index) => ({ messageId: id, vector: vectors[index] ?? [] })),
  })
}
