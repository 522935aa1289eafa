/** What a process does with the store it has opened. */
export type StoreJob =
  /** Saves turns one after the other, and says so of each. */
  | { type: 'save'; prefix: string; threads: number; turns: number }
  /** Claims runs, and says what became of each. */
  | { type: 'claim'; runIds: readonly string[] }
  /** Runs an agent until it waits for an approval, and says which run that is. */
  | { type: 'suspend'; threadId: string }
  /** Resumes such a run, if there is one. Every tool call is a line in the file. */
  | { type: 'resume'; threadId: string; file: string }
  /** Resumes such a run until it ends, also where it was interrupted: the file says what became of a call. */
  | { type: 'settle'; threadId: string; file: string }

export interface StoreProcessOptions {
  /** URL of the module that exports `create`. */
  module: string
  database: string
  job: StoreJob
}

/** What a process says of its job. */
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

/** The ids of a turn that a process saves. */
export function turnIds(prefix: string, turn: number): string[] {
  return Array.from({ length: TURN_SIZE }, (_, index) => `${prefix}-${turn}-${index}`)
}

/** How long a run is left to a process that may be dead, in milliseconds. */
export const SHORT_LEASE = 150

export const JOB_RESOURCE = 'ada'
