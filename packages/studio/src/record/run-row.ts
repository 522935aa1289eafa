import type { Acted, RunState, Tokens } from '../wire.ts'

/** A run in the list: what is known of it without its events. Times are milliseconds since 1970. */
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
  /** The process that recorded it. */
  processId: string
  facts: RunFacts
}

/** What is counted as events come in. */
export interface RunFacts {
  /** The beginnings of what the user said and of the answer, with whatever guards found in them. */
  input?: string
  answer?: string
  models: string[]
  stepCount: number
  toolCallCount: number
  usage: Tokens
  /** Tokens by model, `provider/modelId`, for prices. */
  usageByModel: Record<string, Tokens>
  /** The model that was called last. */
  lastModel?: string
  timeToFirstChunkMs?: number
  acted: Acted[]
  retractions: number
  /** Changes that processors made: without any, there is nothing to hide. */
  changes: number
  /** Events that are stored, and whether more came. */
  events: number
  truncated: boolean
  /** How many times the run has been worked on. Records of before have none. */
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
