/** Whose output it is. */
export interface ToolOutputKey {
  /** The run, by an id that no other run knows. */
  readonly run: string
  readonly toolCallId: string
  /** The resource of the run, where it has one. */
  readonly resourceId: string | undefined
}

/** Where outputs are kept that were cut. A run reads its own alone: a store must find an output by its whole key only. */
export interface ToolOutputStore {
  save(key: ToolOutputKey, text: string): Promise<void> | void
  /** A part of the text, in UTF-16 units, with the length of the whole. `undefined` where it is not there, or not any more. */
  read(
    key: ToolOutputKey,
    range: { offset: number; length: number },
  ): Promise<StoredPart | undefined> | StoredPart | undefined
}

export interface StoredPart {
  readonly text: string
  /** Of the whole. */
  readonly length: number
}

/** Characters that are kept at most, of all runs together. */
const MOST_CHARACTERS = 32 * 1024 * 1024

/** Keeps outputs in this process. If there are too many, the oldest go. */
export class InMemoryToolOutputs implements ToolOutputStore {
  readonly #outputs = new Map<string, string>()
  readonly #maxCharacters: number
  #characters = 0

  constructor(maxCharacters: number = MOST_CHARACTERS) {
    this.#maxCharacters = maxCharacters
  }

  save(key: ToolOutputKey, text: string): void {
    const name = nameOf(key)
    this.#drop(name)
    this.#outputs.set(name, text)
    this.#characters += text.length
    for (const oldest of this.#outputs.keys()) {
      if (this.#characters <= this.#maxCharacters) break
      this.#drop(oldest)
    }
  }

  read(key: ToolOutputKey, { offset, length }: { offset: number; length: number }): StoredPart | undefined {
    const text = this.#outputs.get(nameOf(key))
    return text === undefined ? undefined : { text: text.slice(offset, offset + length), length: text.length }
  }

  #drop(name: string): void {
    this.#characters -= this.#outputs.get(name)?.length ?? 0
    this.#outputs.delete(name)
  }
}

function nameOf({ run, toolCallId, resourceId }: ToolOutputKey): string {
  return JSON.stringify([run, resourceId, toolCallId])
}
