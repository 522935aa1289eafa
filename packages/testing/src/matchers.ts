import { type ChunkTypesOptions, toHaveChunkTypes } from './matchers/chunk-types.ts'
import { toLeakNothingOf } from './matchers/leaks.ts'
import { type PromptedOptions, toHaveBeenPrompted } from './matchers/prompted.ts'
import { type ExpectedTrip, toBeCompleted, toHaveStatus, toHaveTripped } from './matchers/status.ts'
import { toHaveText } from './matchers/text.ts'
import { toPairEveryToolCall } from './matchers/tool-pairs.ts'

export type { ChunkTypesOptions, ExpectedTrip, PromptedOptions }

/** Matchers for vitest. Register them once: `expect.extend(matchers)`. */
export const matchers: {
  readonly toBeCompleted: typeof toBeCompleted
  readonly toHaveStatus: typeof toHaveStatus
  readonly toHaveTripped: typeof toHaveTripped
  readonly toHaveText: typeof toHaveText
  readonly toHaveChunkTypes: typeof toHaveChunkTypes
  readonly toHaveBeenPrompted: typeof toHaveBeenPrompted
  readonly toPairEveryToolCall: typeof toPairEveryToolCall
  readonly toLeakNothingOf: typeof toLeakNothingOf
} = {
  toBeCompleted,
  toHaveStatus,
  toHaveTripped,
  toHaveText,
  toHaveChunkTypes,
  toHaveBeenPrompted,
  toPairEveryToolCall,
  toLeakNothingOf,
}

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The run completed: its status is `completed`. */
    toBeCompleted(): R
    /** The run ended with this status: `halted`, `suspended`, `aborted`, `limit`, … */
    toHaveStatus(status: string): R
    /** A processor aborted the run. The given fields match the result's `rejection`. */
    toHaveTripped(expected?: ExpectedTrip): R
    /**
     * The text of a result or of a list of chunks. Takes a string, a regular expression or `expect.stringContaining(…)`.
     */
    toHaveText(expected: unknown): R
    /** The chunks have exactly these types, in this order. */
    toHaveChunkTypes(types: readonly string[], options?: ChunkTypesOptions): R
    /** The prompt of a model call contained a text or a message, or was equal to a prompt. */
    toHaveBeenPrompted(expected: unknown, options?: PromptedOptions): R
    /** Every tool call in a prompt or in messages has exactly one result, in call order. */
    toPairEveryToolCall(): R
    /** None of the secrets occurs in the value, at any depth, also if it is split over deltas. */
    toLeakNothingOf(secrets: string | readonly string[]): R
  }
}
