import type { Run } from '../../run/run.ts'

/** What processors keep of a call, by name. */
export type ProcessorStates = Record<string, Record<string, unknown>>

/**
 * What the processors that see calls keep, as far as it differs from the last snapshot: otherwise every call would store all
 * that they have kept before. Fields with a text, a number or the like are compared; objects count as changed.
 */
export class StateChanges {
  /** Fields that are as they were, by the name of the processor. */
  readonly #unchanged = new Map<string, Map<string, unknown>>()

  /** To be called when a snapshot is made, before anything else happens. */
  taken(run: Run): void {
    this.#unchanged.clear()
    for (const [name, state] of statesOf(run)) {
      this.#unchanged.set(name, new Map(Object.entries(state).filter(([, value]) => !isObject(value))))
    }
  }

  since(run: Run): ProcessorStates | undefined {
    const states = statesOf(run)
    if (states.length === 0) return undefined
    return Object.fromEntries(states.map(([name, state]) => [name, this.#changed(name, state)]))
  }

  /** A field that has changed once is stored from then on: it may change back. */
  #changed(name: string, state: Record<string, unknown>): Record<string, unknown> {
    const unchanged = this.#unchanged.get(name)
    if (!unchanged) return state
    for (const [key, value] of unchanged) {
      if (!Object.hasOwn(state, key) || state[key] !== value) unchanged.delete(key)
    }
    return Object.fromEntries(Object.entries(state).filter(([key]) => !unchanged.has(key)))
  }
}

function statesOf(run: Run): [name: string, state: Record<string, unknown>][] {
  const { processExecution, processToolResult, names } = run.pipeline
  const processors = new Set([...(processExecution ?? []), ...(processToolResult ?? [])])
  return [...processors].map((processor) => [names.get(processor) ?? processor.id, run.gate(processor).state])
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
