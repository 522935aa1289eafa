import { serverSentEvent } from './wire.ts'

/** A reply of Google's `streamGenerateContent`. */
export function googleReply(text: string): string[] {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 }
  return [
    serverSentEvent({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] }),
    serverSentEvent({
      candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
      usageMetadata,
    }),
  ]
}
