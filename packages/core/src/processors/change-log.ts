import type { ProcessorAction } from '../results/result.ts'
import type { CallRecord, HookRecord } from './hook-record.ts'

/** A change of a processor, as it is recorded. */
export interface RecordedChange {
  messageId?: string
  /** Position of the first part that differs. */
  partIndex?: number
  /** The id of a part in the stream. */
  partId?: string
  toolCallId?: string
  /** The other data that was changed: `systemMessages`, `settings`, … */
  key?: string
  /** Default: `changed`. If the processor ended the run or denied something, `before` is what the hook was shown. */
  action?: ProcessorAction
  before: unknown
  after: unknown
}

/** Records decisions, while there are listeners for them. */
export interface DecisionLog {
  /** @param record What the processor did in one call of a hook */
  recordDecision(record: CallRecord, toolCallId: string | undefined): void
}

/** Records changes, while there are listeners for them. */
export interface ChangeLog {
  /** Maximum number of characters that are kept of each side. */
  readonly maxCharacters: number
  recordChange(record: HookRecord, change: RecordedChange): void
}
