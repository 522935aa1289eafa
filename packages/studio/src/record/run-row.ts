import type { Acted, RunState, Tokens } from '../wire.ts'

/** A run in the list: its summary without the events. Times are milliseconds since 1970. */
export interface RunRow {
  id: string
  agentName: string
  threadId?: string
  resourceId?: string
  state: RunState
  startedAt: number
  endedAt?: number
  resumedFrom?: string
  replayOf?: string
  imported?: boolean
  /** The process that has recorded it. */
  processId: string
  facts: RunFacts
}

/** Counters that are updated with each event. */
export interface RunFacts {
  /** The beginning of the user's message and of the answer. Found values are not hidden here. */
  input?: string
  answer?: string
  models: string[]
  stepCount: number
  toolCallCount: number
  usage: Tokens
  /** Token usage by `provider/modelId`, for prices. */
  usageByModel: Record<string, Tokens>
  /** The model that was called last. */
  lastModel?: string
  timeToFirstChunkMs?: number
  acted: Acted[]
  retractions: number
  /** The number of changes by processors. Without changes, there is nothing to hide. */
  changes: number
  /** The number of stored events, and whether further ones were dropped. */
  events: number
  truncated: boolean
  /** The number of attempts at the run. Missing in older records. */
  attempt?: number
}

export function newFacts(): RunFacts {
  return {
    models: [],
    stepCount: 0,
    toolCallCount: 0,
    usage: {},
    usageByModel: {},
    acted: [],
    retractions: 0,
    changes: 0,
    events: 0,
    truncated: false,
  }
}
