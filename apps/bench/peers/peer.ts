/** A framework that does the same work as the others. Each function reads one whole stream of an agent. */
export interface Peer {
  name: string
  /** An answer of 1,000 text chunks. */
  text: () => Promise<void>
  /** The same, with ten processors that pass every chunk; `undefined` if the framework has none. */
  textWithTen?: () => Promise<void>
  /** The same, with the framework's own guard for personal data by patterns; `undefined` if it has none. */
  textWithGuard?: () => Promise<void>
  /** The same, with four guards that need no model. */
  textWithFourGuards?: () => Promise<void>
  /** A tool call, and an answer of ten chunks. */
  toolStep: () => Promise<void>
  /** A turn with memory and an answer of ten chunks; `undefined` if the framework has no memory. */
  memoryTurn?: () => Promise<void>
}

/** The answers of the model for every framework. */
export const CHUNKS = 1_000
export const LAST_CHUNKS = 10

/** Reads a stream to its end, and checks that it is complete: a framework that fails early is not fast. */
export async function read(
  stream: AsyncIterable<unknown>,
  { isText, chunks }: { isText: (part: never) => boolean; chunks: number | 'some' },
): Promise<void> {
  let count = 0
  for await (const part of stream) if (isText(part as never)) count++
  if (chunks === 'some' ? count === 0 : count !== chunks)
    throw new Error(`The stream has ${count} text chunks. Expected: ${chunks}.`)
}
