import type { ChangeLog, RecordedChange } from '../processors/change-log.ts'
import type { HookRecord } from '../processors/hook-record.ts'
import type { ProcessorChangeEvent, RunEvent } from '../results/agent-events.ts'

/** Characters kept of each side of a change. */
const MOST_CHARACTERS = 4_000

/** Changes emitted for one record: a processor in one hook and step. */
const MOST_CHANGES = 100

type ChangeFields = Omit<ProcessorChangeEvent, keyof RunEvent>

/** Tells listeners what processors changed, bounded in size and number. */
export class ProcessorChanges implements ChangeLog {
  readonly mostCharacters: number = MOST_CHARACTERS
  readonly #told = new WeakMap<HookRecord, number>()
  readonly #emit: (change: () => ChangeFields) => void

  constructor(emit: (change: () => ChangeFields) => void) {
    this.#emit = emit
  }

  recordChange(record: HookRecord, { before, after, action = 'changed', ...place }: RecordedChange): void {
    const count = (this.#told.get(record) ?? 0) + 1
    if (count > MOST_CHANGES + 1) return
    this.#told.set(record, count)
    const { processorId, hook, stepNumber } = record
    const identity = { processorId, hook, stepNumber, action }
    this.#emit(() => {
      if (count > MOST_CHANGES) return { ...identity, truncated: true }
      const [was, is] = [textOf(before), textOf(after)]
      const truncated = isLong(was) || isLong(is)
      return { ...identity, ...place, before: cut(was), after: cut(is), truncated }
    })
  }
}

/** Text as it is, all else as JSON. What is neither is named by its type. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? typeof value
  } catch {
    return typeof value
  }
}

function isLong(text: string | undefined): boolean {
  return text !== undefined && text.length > MOST_CHARACTERS
}

function cut(text: string | undefined): string | undefined {
  return isLong(text) ? text?.slice(0, MOST_CHARACTERS) : text
}
