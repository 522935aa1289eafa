import type { RunStore } from '@millrace/core'

/** When the process dies: before or after its n-th write to the store, from 1. */
export interface Death {
  change: number
  when: 'before' | 'after'
}

const CHANGES: ReadonlySet<string | symbol> = new Set([
  'saveRun',
  'claimRun',
  'updateRun',
  'endRun',
  'releaseRun',
])

/**
 * A store of a simulated process that dies: from then on its calls never resolve, and write nothing. Leases are not
 * renewed, because renewals depend on the clock and not on the progress of the run.
 *
 * @example
 * const mortal = new MortalStore(store, { change: 2, when: 'after' })
 * new Agent({ model, tools, storage: mortal.storage }).resume(runId, { approved: true }).catch(() => {})
 * await mortal.died
 */
export class MortalStore {
  readonly storage: RunStore
  /** The names of the requested writes. */
  readonly changes: string[] = []
  /** Resolves when the process has died. */
  readonly died: Promise<void>
  #isDead = false
  #die: () => void = () => {}

  constructor(store: RunStore, death?: Death) {
    this.died = new Promise((resolve) => {
      this.#die = resolve
    })
    this.storage = new Proxy(store, {
      get: (target, name) => {
        const method = target[name as keyof RunStore]
        if (typeof method !== 'function') return method
        return async (...values: never[]) => {
          if (this.#isDead) return never()
          const call = () => (method as (...values: never[]) => unknown).apply(target, values)
          if (!CHANGES.has(name)) return call()
          if (name === 'updateRun' && isRenewal(values)) return undefined
          this.changes.push(String(name))
          const isLast = this.changes.length === death?.change
          if (isLast && death?.when === 'before') return this.kill()
          const result = await call()
          return isLast ? this.kill() : result
        }
      },
    })
  }

  /** Dies now. Never resolves, because the caller has died too. */
  kill(): Promise<never> {
    this.#isDead = true
    this.#die()
    return never()
  }
}

function isRenewal([, changes]: unknown[]): boolean {
  const { snapshot, calls } = changes as { snapshot?: string; calls?: unknown[] }
  return snapshot === undefined && !calls?.length
}

function never(): Promise<never> {
  return new Promise(() => {})
}
