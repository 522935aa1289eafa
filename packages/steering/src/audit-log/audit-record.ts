import type { HookName, Message, ProcessorAction, Rejection, RunStatus, Usage } from '@millrace/core'

/** One line of the log. */
export type AuditRecord = RecordHead & AuditEntry

/** The fields of every record. */
export interface RecordHead {
  /** Unique. If a record was written twice, because the first write seemed to fail, both have the same id. */
  readonly id: string
  /** When the record was made: ISO 8601, UTC. */
  readonly time: string
  /** The id of the processor. */
  readonly log: string
  /** The same in all records of a run, also after a suspension. Not the run's id: see `outcome`. */
  readonly run?: string
  readonly threadId?: string
  readonly resourceId?: string
}

/** What happened. Messages and values are as they were at the log's position in the list of processors. */
export type AuditEntry =
  /** This turn's messages. */
  | { readonly event: 'input'; readonly messages: readonly Pick<Message, 'id' | 'role' | 'content'>[] }
  | {
      readonly event: 'tool-call'
      readonly stepNumber: number
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
    }
  | {
      readonly event: 'tool-result'
      readonly stepNumber: number
      readonly toolCallId: string
      readonly toolName: string
      readonly status: 'success' | 'error' | 'denied'
      readonly output?: unknown
      readonly error?: string
    }
  /** The answer, with all messages of the run. */
  | { readonly event: 'output'; readonly messages: readonly Pick<Message, 'id' | 'role' | 'content'>[] }
  /** The run was aborted or failed. `messages` is the incomplete answer. */
  | {
      readonly event: 'interrupted'
      readonly error: { readonly name: string; readonly code?: string; readonly message?: string }
      readonly messages: readonly Pick<Message, 'id' | 'role' | 'content'>[]
    }
  /** How the run ended, and what its processors did. A failed run has no outcome. */
  | {
      readonly event: 'outcome'
      readonly runId: string
      readonly status: RunStatus
      readonly finishReason: string
      readonly usage: Usage
      readonly rejection?: Rejection
      readonly halt?: { readonly reason?: string; readonly processorId?: string; readonly hook?: HookName }
      readonly suspension?: {
        readonly runId: string
        readonly processorId?: string
        readonly toolCallId?: string
      }
      /** The decisions of processors other than `passed`. */
      readonly verdicts: readonly {
        readonly processorId: string
        readonly hook: HookName
        readonly stepNumber?: number
        readonly action: ProcessorAction
      }[]
      /** Attempts that were rejected and retried. */
      readonly retries: readonly {
        readonly stepNumber: number
        readonly processorId?: string
        readonly reason: string
      }[]
    }
  /** Records were lost here: the sink was too slow or failed. */
  | { readonly event: 'gap'; readonly lost: number }
  /** A custom record, added by `record`. */
  | { readonly event: `app-${string}`; readonly [field: string]: unknown }

/** Longer strings are cut, so that a line stays short. */
const MAX_STRING_LENGTH = 65_536
const MAX_DATA_URL_LENGTH = 256

/** A record as one line of JSON, without line end. Values that are not JSON are described. */
export function toLine(
  head: RecordHead,
  entry: AuditEntry,
  { withContent }: { withContent: boolean },
): string {
  const record = { ...head, ...(withContent ? entry : withoutContent(entry)) }
  try {
    return JSON.stringify(record, describe)
  } catch {
    // Circular, or with a getter that throws: all other fields are recorded.
    const fields = Object.entries(record).map(([name, value]) => `${JSON.stringify(name)}:${toJson(value)}`)
    return `{${fields.join(',')}}`
  }
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, describe) ?? 'null'
  } catch {
    return '"[not JSON]"'
  }
}

function withoutContent(entry: AuditEntry): object {
  switch (entry.event) {
    case 'input':
    case 'output':
    case 'interrupted':
      return { ...entry, messages: entry.messages.map(({ id, role }) => ({ id, role })) }
    case 'tool-call': {
      const { input: _, ...rest } = entry
      return rest
    }
    case 'tool-result': {
      const { output: _, error: __, ...rest } = entry
      return rest
    }
    default:
      return entry
  }
}

function describe(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (typeof value !== 'string') return value
  if (value.length > MAX_DATA_URL_LENGTH && /^data:/i.test(value)) {
    return `${value.slice(0, value.indexOf(',') + 1).slice(0, MAX_DATA_URL_LENGTH)}[${value.length} characters]`
  }
  if (value.length <= MAX_STRING_LENGTH) return value
  return `${value.slice(0, MAX_STRING_LENGTH).toWellFormed()}[cut: ${value.length} characters]`
}
