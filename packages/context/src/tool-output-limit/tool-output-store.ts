/** Identifies an output. */
export interface ToolOutputKey {
  /** The id of the run. It is unique. */
  readonly run: string
  readonly toolCallId: string
  /** The resource of the run, if it has one. */
  readonly resourceId: string | undefined
}

/**
 * Stores outputs that were cut. An output must only be found by its complete key, so that a run cannot read
 * the outputs of another.
 */
export interface ToolOutputStore {
  save(key: ToolOutputKey, text: string): Promise<void> | void
  /**
   * A part of the text, with offsets in UTF-16 units, and the length of the whole. `undefined` if it is not
   * stored, or no longer.
   */
  read(
    key: ToolOutputKey,
    range: { offset: number; length: number },
  ): Promise<StoredPart | undefined> | StoredPart | undefined
}

export interface StoredPart {
  readonly text: string
  /** The length of the whole text. */
  readonly length: number
}

/** The maximum number of stored characters, over all runs. */
const MAX_CHARACTERS = 32 * 1024 * 1024

/** Stores outputs in this process. If the limit is reached, the oldest are dropped. */
export class InMemoryToolOutputs implements ToolOutputStore {
  readonly #outputs = new Map<string, string>()
  readonly #maxCharacters: number
  #characters = 0

  constructor(maxCharacters: number = MAX_CHARACTERS) {
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
