import type { Run } from '../../run/run.ts'

/** The changes to the state of processors, by name. */
export type ProcessorStates = Record<string, Record<string, unknown>>

/**
 * The changes to processor state since the last snapshot. Without it, every call would store the whole state.
 * Primitive values are compared; objects always count as changed.
 */
export class StateChanges {
  /** The unchanged fields, by processor name. */
  readonly #unchanged = new Map<string, Map<string, unknown>>()

  /** Call when a snapshot is made, before anything else happens. */
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

  /** A field that has changed once is always stored from then on, because it may change back. */
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
