import type { OptionNames } from '../option-names.ts'
import type { MessageLimits } from './message-store.ts'
import type { RunLimits } from './run-store.ts'
import type { StoreLimits } from './store.ts'
import type { StreamLimits } from './stream-store.ts'

export const RUN_LIMITS: OptionNames<RunLimits> = { maxRuns: 'optional', maxRunBytes: 'optional' }

const MESSAGE_LIMITS: OptionNames<MessageLimits> = {
  maxMessageBytes: 'optional',
  maxBlobBytes: 'optional',
}

const STREAM_LIMITS: OptionNames<StreamLimits> = { maxStreamBytes: 'optional' }

/** The names of the limits that all stores have. */
export const STORE_LIMITS: OptionNames<StoreLimits> = { ...RUN_LIMITS, ...MESSAGE_LIMITS, ...STREAM_LIMITS }
