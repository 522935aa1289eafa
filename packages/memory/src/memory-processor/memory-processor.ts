/**
 * What Mastra's memory took before it was made of input and output processors: it filters or changes what is remembered.
 * Structural: a class that extends theirs fits as it is.
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
  /** What the user says now. For looking at. */
  newMessages?: LegacyMessage[]
}

/** A message in the AI SDK's older form: what is one message here may be several, since results are messages there. */
export interface LegacyMessage {
  /** Of the message here that it is a part of. */
  id?: string
  role: 'system' | 'user' | 'assistant' | 'tool'
  // biome-ignore lint/suspicious/noExplicitAny: processors were written against several versions of the AI SDK
  content: any
}
