import { type Message, type ThreadKey, textOfParts } from '@millrace/core'
import type { Embedder } from './embedder.ts'
import type { RecallVectors } from './recall-vectors.ts'

/** Embeds the messages that have text, and stores their vectors. Skips messages that are not stored. */
export async function embedMessages(
  messages: readonly Message[],
  {
    vectors: place,
    embedder,
    threadId,
    resourceId,
  }: { vectors: RecallVectors; embedder: Embedder } & ThreadKey,
): Promise<void> {
  const texts = messages.flatMap(({ id, role, content }) => {
    const text = role === 'system' ? '' : textOfParts(content.parts)
    return text.trim() === '' ? [] : [{ id, text }]
  })
  if (texts.length === 0) return
  const vectors = await embedder.embed(texts.map(({ text }) => text))
  await place.saveVectors({
    threadId,
    resourceId,
    model: embedder.name,
    vectors: texts.map(({ id }, index) => ({ messageId: id, vector: vectors[index] ?? [] })),
  })
}
