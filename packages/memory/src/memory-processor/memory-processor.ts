/**
 * The interface of Mastra's older memory processors, which filter or change remembered messages. It is
 * structural: a class that extends Mastra's `MemoryProcessor` fits without changes.
 */
export interface MemoryProcessor {
  process(
    messages: LegacyMessage[],
    options: MemoryProcessorOptions,
  ): LegacyMessage[] | Promise<LegacyMessage[]>
}

export interface MemoryProcessorOptions {
  /** The agent's instructions. */
  systemMessage?: string
  memorySystemMessage?: string
  /** The user's new message. Read-only. */
  newMessages?: LegacyMessage[]
}

/**
 * A message in the form of AI SDK 4. One Millrace message can become several, because tool results are
 * separate messages there.
 */
export interface LegacyMessage {
  /** The id of the Millrace message it comes from. */
  id?: string
  role: 'system' | 'user' | 'assistant' | 'tool'
  // biome-ignore lint/suspicious/noExplicitAny: these processors are written for several versions of the AI SDK
  content: any
}
