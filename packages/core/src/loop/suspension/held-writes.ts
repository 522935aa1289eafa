import type { RunStore } from '../../storage/run-store.ts'

/** Writes of runs that a store has refused, by run id. They are repeated before the runs of the store are read. */
export const heldWrites: WeakMap<RunStore, Map<string, () => Promise<void>>> = new WeakMap()
