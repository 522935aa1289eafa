import type { DecisionLog } from '../processors/change-log.ts'
import type { CallRecord, HookRecord } from '../processors/hook-record.ts'
import type { ProcessorDecisionEvent, RunEvent } from '../results/agent-events.ts'
import { EventLimit } from './event-limit.ts'

type DecisionFields = Omit<ProcessorDecisionEvent, keyof RunEvent>

/** Emits the decisions of processors, limited in number. */
export class ProcessorDecisions implements DecisionLog {
  readonly #limit = new EventLimit()
  readonly #emit: (decision: () => DecisionFields) => void

  constructor(emit: (decision: () => DecisionFields) => void) {
    this.#emit = emit
  }

  recordDecision(record: CallRecord, toolCallId: string | undefined): void {
    const outcome = this.#limit.count(record.whole)
    if (outcome === 'emit') this.#emit(() => ({ ...record.toResult(), toolCallId, truncated: false }))
    if (outcome !== 'truncate') return
    this.#emit(() => ({ ...record.whole.toResult(), toolCallId: undefined, truncated: true }))
  }

  /** Ends the calls of a hook. Emits one event if none was emitted per call. */
  finish(record: HookRecord): void {
    if (record.calls === 0 || this.#limit.has(record)) return
    this.#limit.count(record)
    const held = record.held && { held: true as const }
    this.#emit(() => ({ ...record.toResult(), toolCallId: undefined, truncated: false, ...held }))
  }
}
