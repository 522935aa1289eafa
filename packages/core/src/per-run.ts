/**
 * What a processor keeps of a run in addition to its JSON `state`, such as a parser or a counter. Use `state` as the
 * key: it is the same object in all hooks of a run. The value lives as long as the key.
 *
 * A long-lived `WeakMap` works too, but is slow. If a value refers to its key, V8 keeps both, and everything that they
 * refer to, until the next full garbage collection.
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
