/** One framework, doing the same work as the others. Each function reads one whole stream of an agent. */
export interface Peer {
  name: string
  /** An answer of 1,000 text chunks. */
  text: () => Promise<void>
  /** The same, with ten stages that let every chunk pass; absent where a framework has none. */
  textWithTen?: () => Promise<void>
  /** The same, with a guard of the framework's own that finds personal data by patterns; absent where it has none. */
  textWithGuard?: () => Promise<void>
  /** The same, with four guards that need no model. */
  textWithFourGuards?: () => Promise<void>
  /** A call of one tool, and an answer of ten chunks. */
  toolStep: () => Promise<void>
  /** A turn of a conversation that is remembered, with an answer of ten chunks; absent where a framework has no memory. */
  memoryTurn?: () => Promise<void>
}

/** The answers every framework gets from its model. */
export const CHUNKS = 1_000
export const LAST_CHUNKS = 10

/** Reads a stream to its end, and makes sure that all of it came: a framework that fails early is not fast. */
export async function read(
  stream: AsyncIterable<unknown>,
  { isText, chunks }: { isText: (part: never) => boolean; chunks: number | 'some' },
): Promise<void> {
  let count = 0
  for await (const part of stream) if (isText(part as never)) count++
  if (chunks === 'some' ? count === 0 : count !== chunks)
    throw new Error(`The stream had ${count} text chunks, and not ${chunks}.`)
}
