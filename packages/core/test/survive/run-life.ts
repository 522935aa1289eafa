import type { RunLease, RunState, RunStore, StoredRun } from '@millrace/core'

/**
 * The life of a run as two workers and an operator see it; `docs/life-of-a-run.md` draws it. A worker claims the run, writes
 * down that it calls the tool, calls it, writes down how that ended, and ends the run. Anything may come between.
 */
export type Event =
  /** The next thing a worker does. */
  | { type: 'step'; worker: 0 | 1 }
  /** Its process dies, and another takes its place. */
  | { type: 'crash'; worker: 0 | 1 }
  | { type: 'renew'; worker: 0 | 1 }
  /** The next thing the operator does: reads the run, claims it, keeps what is known of its call, and gives it up. */
  | { type: 'release' }
  /** Waits until a lease that was not renewed has expired. */
  | { type: 'expire-lease' }

export const LEASE = 1_000

/** What a worker knows. Nothing, in a process that has just been started. */
interface Worker {
  lease: RunLease | undefined
  stage: 'claim' | 'start' | 'call' | 'finish' | 'end' | 'over'
}

/** Who gives the run up, and what was read of it. */
interface Operator {
  stage: 'read' | 'claim' | 'keep' | 'end'
  version: number
  knowsCall: boolean
  lease: RunLease | undefined
}

const CALL = 'call'

/** Two workers on one run, whose store is real and whose clock is not. */
export class RunLife {
  readonly #store: RunStore
  readonly #advance: (milliseconds: number) => void
  readonly #workers: [Worker, Worker] = [idle(), idle()]
  /** How often the tool was called. */
  calls = 0
  /** Writes that were refused to an attempt that had lost the run. */
  refused = 0
  /** Attempts that were given out, in order. */
  readonly attempts: number[] = []
  /** What the thread has of the call: all that those who ended the run knew. */
  readonly kept: ('done' | 'released')[] = []
  #operator = newOperator()
  #ended: RunState | undefined

  constructor(store: RunStore, advance: (milliseconds: number) => void) {
    this.#store = store
    this.#advance = advance
  }

  begin(): Promise<void> {
    const createdAt = Date.now()
    const run: StoredRun = {
      runId: 'run',
      agentName: 'agent',
      payload: null,
      createdAt,
      expiresAt: createdAt + 1_000 * LEASE,
      snapshot: '{}',
    }
    return this.#store.saveRun(run)
  }

  async apply(event: Event): Promise<void> {
    switch (event.type) {
      case 'step':
        return this.#step(this.#workers[event.worker])
      case 'crash':
        this.#workers[event.worker] = idle()
        return
      case 'renew': {
        const { lease } = this.#workers[event.worker]
        if (lease) await this.#held(() => this.#store.updateRun(lease, { leaseMs: LEASE }))
        return
      }
      case 'release':
        return this.#release(this.#operator)
      case 'expire-lease':
        return this.#advance(LEASE)
    }
  }

  async #step(worker: Worker): Promise<void> {
    const { lease } = worker
    switch (worker.stage) {
      case 'claim':
        return this.#claim(worker)
      case 'start':
        worker.stage = (await this.#write(lease, {})) ? 'call' : 'over'
        return
      case 'call':
        this.calls++
        worker.stage = 'finish'
        return
      case 'finish':
        worker.stage = (await this.#write(lease, { outcome: '"done"', finishedAt: 1 })) ? 'end' : 'over'
        return
      case 'end':
        if (lease && (await this.#held(() => this.#store.endRun(lease, 'done')))) {
          this.#ended = 'done'
          this.kept.push('done')
        }
        worker.stage = 'over'
        return
      case 'over':
        return
    }
  }

  async #release(operator: Operator): Promise<void> {
    const { lease } = operator
    switch (operator.stage) {
      case 'read': {
        const found = await this.#store.getRun('run')
        if (found?.state !== 'suspended' && found?.state !== 'interrupted') return
        const knowsCall = found.state === 'interrupted' && found.calls.length > 0
        Object.assign(operator, { stage: 'claim', version: found.version ?? 0, knowsCall })
        return
      }
      case 'claim': {
        const claim = await this.#store.claimRun('run', { leaseMs: LEASE, ifVersion: operator.version })
        if (claim?.attempt === undefined) {
          this.#operator = newOperator()
          return
        }
        this.attempts.push(claim.attempt)
        Object.assign(operator, { stage: 'keep', lease: { runId: 'run', attempt: claim.attempt } })
        return
      }
      case 'keep':
        if (operator.knowsCall) this.kept.push('released')
        operator.stage = 'end'
        return
      case 'end':
        if (lease && (await this.#held(() => this.#store.endRun(lease, 'released')))) this.#ended = 'released'
        this.#operator = newOperator()
        return
    }
  }

  async #claim(worker: Worker): Promise<void> {
    const found = await this.#store.getRun('run')
    const claim = await this.#store.claimRun('run', { leaseMs: LEASE })
    if (claim?.attempt === undefined) {
      worker.stage = 'over'
      return
    }
    this.attempts.push(claim.attempt)
    worker.lease = { runId: 'run', attempt: claim.attempt }
    const journal = found?.state === 'interrupted' ? found.calls : []
    const known = journal.find(({ toolCallId }) => toolCallId === CALL)
    // Ended: replayed. Only started: somebody is asked, and here says that nobody is to call again.
    worker.stage = known ? 'end' : 'start'
  }

  async #write(
    lease: RunLease | undefined,
    end: { outcome?: string; finishedAt?: number },
  ): Promise<boolean> {
    if (!lease) return false
    const call = {
      toolCallId: CALL,
      toolName: 'tool',
      input: null,
      attempt: lease.attempt,
      startedAt: 0,
      ...end,
    }
    return this.#held(() => this.#store.updateRun(lease, { leaseMs: LEASE, calls: [call] }))
  }

  async #held(change: () => Promise<void>): Promise<boolean> {
    try {
      await change()
      return true
    } catch (error) {
      if ((error as { code?: string }).code !== 'RUN_LEASE_LOST') throw error
      this.refused++
      return false
    }
  }

  /** What must hold whatever has happened. Returns what does not. */
  async broken(): Promise<string | undefined> {
    if (this.calls > 1) return `the tool was called ${this.calls} times`
    if (this.attempts.some((attempt, index) => attempt !== index + 1)) return `attempts ${this.attempts}`
    const found = await this.#store.getRun('run')
    if (!found) return 'nothing is known of the run'
    if (this.#ended && found.state !== this.#ended) return `it was ${this.#ended} and is ${found.state}`
    const isOpen = found.state === 'suspended' || found.state === 'interrupted'
    if ((await this.#store.listRuns({})).length !== (isOpen ? 1 : 0))
      return `a run that is ${found.state} in the list`
    // A call that was made is in the journal until the run has ended.
    if (this.calls === 1 && found.state === 'interrupted' && found.calls.length === 0)
      return 'a call without a trace'
    if (this.calls === 1 && found.state === 'suspended')
      return 'a run that has called its tool is suspended as if not'
    if (this.calls === 1 && found.state === 'released' && !this.kept.includes('released'))
      return 'a run was given up, and its call is not in the thread'
    return undefined
  }
}

function idle(): Worker {
  return { lease: undefined, stage: 'claim' }
}

function newOperator(): Operator {
  return { stage: 'read', version: 0, knowsCall: false, lease: undefined }
}

/** All events there are. */
export const EVENTS: readonly Event[] = [
  { type: 'step', worker: 0 },
  { type: 'step', worker: 1 },
  { type: 'crash', worker: 0 },
  { type: 'crash', worker: 1 },
  { type: 'renew', worker: 0 },
  { type: 'renew', worker: 1 },
  { type: 'expire-lease' },
  { type: 'release' },
]
