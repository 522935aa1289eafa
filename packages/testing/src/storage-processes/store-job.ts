/** The job of a process with its store. */
export type StoreJob =
  /** Saves turns in sequence, and reports each. */
  | { type: 'save'; prefix: string; threads: number; turns: number }
  /** Claims runs, and reports each outcome. */
  | { type: 'claim'; runIds: readonly string[] }
  /** Runs an agent until it waits for an approval, and reports the run. */
  | { type: 'suspend'; threadId: string }
  /** Resumes such a run, if there is one. Every tool call appends a line to the file. */
  | { type: 'resume'; threadId: string; file: string }
  /** Resumes such a run until it ends, also after interruptions: the file has the outcome of each call. */
  | { type: 'settle'; threadId: string; file: string }

export interface StoreProcessOptions {
  /** The URL of the module that exports `create`. */
  module: string
  database: string
  job: StoreJob
}

/** A report of a process about its job. */
export type StoreReport =
  | { type: 'ready' }
  | { type: 'saved'; turn: number }
  | { type: 'claimed'; runId: string; before: string | undefined }
  | { type: 'suspended'; runId: string }
  | { type: 'called'; toolCallId: string }
  | { type: 'resumed'; text: string; calls: number; unanswered: number }
  | { type: 'refused'; code: string | undefined }
  | { type: 'absent' }
  | { type: 'done' }

export const TURN_SIZE = 3

/** The ids of the messages of a saved turn. */
export function turnIds(prefix: string, turn: number): string[] {
  return Array.from({ length: TURN_SIZE }, (_, index) => `${prefix}-${turn}-${index}`)
}

/** The lease of runs whose process may be killed, in milliseconds. */
export const SHORT_LEASE = 150

export const JOB_RESOURCE = 'ada'
