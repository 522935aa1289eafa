import type { ChangeLog, RecordedChange } from '../processors/change-log.ts'
import type { HookRecord } from '../processors/hook-record.ts'
import type { ProcessorChangeEvent, RunEvent } from '../results/agent-events.ts'
import { EventLimit } from './event-limit.ts'

/** Maximum number of characters of each side of a change. */
const MAX_CHARACTERS = 4_000

type ChangeFields = Omit<ProcessorChangeEvent, keyof RunEvent>

/** Emits the changes of processors, limited in size and number. */
export class ProcessorChanges implements ChangeLog {
  readonly maxCharacters: number = MAX_CHARACTERS
  readonly #limit = new EventLimit()
  readonly #emit: (change: () => ChangeFields) => void

  constructor(emit: (change: () => ChangeFields) => void) {
    this.#emit = emit
  }

  recordChange(record: HookRecord, { before, after, action = 'changed', ...place }: RecordedChange): void {
    const outcome = this.#limit.count(record.whole)
    if (outcome === 'drop') return
    const { processorId, hook, stepNumber } = record
    const identity = { processorId, hook, stepNumber, action }
    this.#emit(() => {
      if (outcome === 'truncate') return { ...identity, truncated: true }
      const [was, is] = [textOf(before), textOf(after)]
      const truncated = isLong(was) || isLong(is)
      return { ...identity, ...place, before: cut(was), after: cut(is), truncated }
    })
  }
}

/** Text unchanged, other values as JSON. If that fails, the type's name. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? typeof value
  } catch {
    return typeof value
  }
}

function isLong(text: string | undefined): boolean {
  return text !== undefined && text.length > MAX_CHARACTERS
}

function cut(text: string | undefined): string | undefined {
  return isLong(text) ? text?.slice(0, MAX_CHARACTERS) : text
}
