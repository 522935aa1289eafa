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
    /** The run came to its normal end. */
    toBeCompleted(): R
    /** The run ended with this status: `halted`, `suspended`, `aborted`, `limit`, … */
    toHaveStatus(status: string): R
    /** A processor aborted the run; the fields given agree with the result's `rejection`. */
    toHaveTripped(expected?: ExpectedTrip): R
    /**
     * A result, or a list of chunks, has this text: a string, a regular expression,
     * `expect.stringContaining(…)`.
     */
    toHaveText(expected: unknown): R
    /** The chunks have these types, in this order, and there are no others. */
    toHaveChunkTypes(types: readonly string[], options?: ChunkTypesOptions): R
    /** A call of the model had this in its prompt: a text, a message, or the whole prompt. */
    toHaveBeenPrompted(expected: unknown, options?: PromptedOptions): R
    /** Every tool call in a prompt or in messages has exactly one result, in call order. */
    toPairEveryToolCall(): R
    /** None of the secrets occurs anywhere in the value, however deep, also when spread over deltas. */
    toLeakNothingOf(secrets: string | readonly string[]): R
  }
}
