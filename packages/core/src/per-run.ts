/**
 * What a processor keeps of a run in addition to its JSON `state`, such as a parser or a counter. Use `state` as the key: it
 * is the same object in all hooks of a run. The value lives as long as the key.
 *
 * A `WeakMap` in a long-lived object does the same but is slow: V8 frees its young entries only in full garbage
 * collections if a value refers to its key, with all that the run has used.
 *
 * @example
 * const parsers = new PerRun<Parser>()
 * const processor: Processor = {
 *   id: 'parser',
 *   processOutputStream({ part, state }) {
 *     const parser = parsers.get(state) ?? parsers.set(state, new Parser())
 *     if (part.type === 'text-delta') parser.push(part.textDelta)
 *     return part
 *   },
 * }
 */
export class PerRun<VALUE> {
  readonly #name: symbol = Symbol('millrace.per-run')

  get(key: object): VALUE | undefined {
    return (key as Record<symbol, VALUE>)[this.#name]
  }

  /** Sets the value of a key, and returns it. */
  set(key: object, value: VALUE): VALUE {
    // Not enumerable, so that copies and the stored form of the key do not have it.
    Object.defineProperty(key, this.#name, { value, writable: true, configurable: true })
    return value
  }

  delete(key: object): void {
    delete (key as Record<symbol, VALUE>)[this.#name]
  }
}
