import type { HookName, Message, ProcessorAction, Rejection, RunStatus, Usage } from '@millrace/core'

/** One line of the log. */
export type AuditRecord = RecordHead & AuditEntry

/** What every record says. */
export interface RecordHead {
  /** Unique. A record that was written twice, because its first writing seemed to fail, has the same. */
  readonly id: string
  /** When it was made: ISO 8601, UTC. */
  readonly time: string
  /** The processor that keeps the log. */
  readonly log: string
  /** The same in all records of a run, also when it was suspended in between. Not the run's id: see `outcome`. */
  readonly run?: string
  readonly threadId?: string
  readonly resourceId?: string
}

/** What happened. Texts and values are those that had come to the log's place in the chain. */
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
  /** The answer, with all messages the run has made. */
  | { readonly event: 'output'; readonly messages: readonly Pick<Message, 'id' | 'role' | 'content'>[] }
  /** The run was aborted from outside or failed; `messages` is what there was of an answer. */
  | {
      readonly event: 'interrupted'
      readonly error: { readonly name: string; readonly code?: string; readonly message?: string }
      readonly messages: readonly Pick<Message, 'id' | 'role' | 'content'>[]
    }
  /** How the run ended, and what its processors did. A run that fails has none. */
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
      /** What processors did beyond letting everything pass. */
      readonly verdicts: readonly {
        readonly processorId: string
        readonly hook: HookName
        readonly stepNumber?: number
        readonly action: ProcessorAction
      }[]
      /** Attempts that were rejected and made again. */
      readonly retries: readonly {
        readonly stepNumber: number
        readonly processorId?: string
        readonly reason: string
      }[]
    }
  /** Records were lost here: the sink was too slow or failed. */
  | { readonly event: 'gap'; readonly lost: number }
  /** What the application adds by `record`. */
  | { readonly event: `app-${string}`; readonly [field: string]: unknown }

/** Longer strings are cut: a record is one line. */
const LONGEST_STRING = 65_536
const LONGEST_DATA_URL = 256

/** A record as one line of JSON, without its end. What is not JSON is described. */
export function toLine(
  head: RecordHead,
  entry: AuditEntry,
  { withContent }: { withContent: boolean },
): string {
  const record = { ...head, ...(withContent ? entry : withoutContent(entry)) }
  try {
    return JSON.stringify(record, describe)
  } catch {
    // Circular somewhere, or with a getter that throws: the rest is kept.
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
  if (value.length > LONGEST_DATA_URL && /^data:/i.test(value)) {
    return `${value.slice(0, value.indexOf(',') + 1).slice(0, LONGEST_DATA_URL)}[${value.length} characters]`
  }
  if (value.length <= LONGEST_STRING) return value
  return `${value.slice(0, LONGEST_STRING).toWellFormed()}[cut: ${value.length} characters]`
}
