import type { ProcessorAction } from '../results/result.ts'
import type { CallRecord, HookRecord } from './hook-record.ts'

/** What a processor changed, as a record keeps it. */
export interface RecordedChange {
  messageId?: string
  /** Position of the first part that differs. */
  partIndex?: number
  /** The id of a part in the stream. */
  partId?: string
  toolCallId?: string
  /** What else was changed: `systemMessages`, `settings`, … */
  key?: string
  /** Default: `changed`. Of what ended the run or was denied, `before` is what the hook was shown. */
  action?: ProcessorAction
  before: unknown
  after: unknown
}

/** Where decisions are recorded, while there are listeners for them. */
export interface DecisionLog {
  /** @param record What the processor did in one call of a hook */
  recordDecision(record: CallRecord, toolCallId: string | undefined): void
}

/** Where changes are recorded, while there are listeners for them. */
export interface ChangeLog {
  /** How much of each side is kept. */
  readonly mostCharacters: number
  recordChange(record: HookRecord, change: RecordedChange): void
}
