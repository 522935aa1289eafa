import type { OptionNames, Store } from '@millrace/core'
import type { MemoryProcessor } from './memory-processor/memory-processor.ts'
import { HISTORY_WINDOW_OPTIONS, type HistoryWindowOptions } from './message-history/history-window.ts'
import {
  MESSAGE_PERSISTENCE_OPTIONS,
  type MessagePersistenceOptions,
} from './message-history/message-persistence-processor.ts'
import { OBSERVATIONS_OPTIONS, type ObservationsOptions } from './observations/observations.ts'
import {
  SEMANTIC_RECALL_OPTIONS,
  type SemanticRecallOptions,
} from './semantic-recall/semantic-recall-processor.ts'
import { RETENTION_OPTIONS, type RetentionOptions } from './threads/retention.ts'
import { THREAD_SEED, type ThreadSeed } from './threads/seed-threads.ts'
import {
  WORKING_MEMORY_OPTIONS,
  type WorkingMemoryOptions,
} from './working-memory/working-memory-processor.ts'

export interface MemoryOptions extends HistoryWindowOptions, MessagePersistenceOptions {
  /**
   * The store for everything, including suspended runs. Default: an `InMemoryStore`, which is lost when the
   * process ends.
   */
  storage?: Store | undefined
  /**
   * Keeps dated notes of conversations, and shows them in place of older messages. `lastMessages` and
   * `maxTokens` then have no effect. Default: off.
   */
  observations?: ObservationsOptions | undefined
  /** Recalls older messages that are relevant to what the user says. Default: false. */
  semanticRecall?: boolean | SemanticRecallOptions | undefined
  /**
   * Remembers a few facts, defined by a template or a schema, and always shows them to the model. Default:
   * none.
   */
  workingMemory?: WorkingMemoryOptions | undefined
  /**
   * How long messages are kept: `{ days }`, `{ turns }` of a thread, or both. Older ones are deleted when a turn of their thread
   * is stored, in the background, and by `applyRetention`. Default: all are kept.
   */
  retention?: RetentionOptions | undefined
  /** Threads that the first call creates, unless they exist. */
  threads?: readonly ThreadSeed[] | undefined
  /**
   * Memory processors written for Mastra, for migration. They run after history and recall. Default: none.
   */
  processors?: readonly MemoryProcessor[] | undefined
  /**
   * What happens when the store fails: `skip` delivers the answer and puts the error into `result.warnings`, `fail` ends
   * the run. At the end of a run that has called tools the run suspends, and resuming it saves the turn. Default: `skip`, but `fail` for `processors`.
   */
  onError?: 'fail' | 'skip' | undefined
}

export const MEMORY_OPTIONS: OptionNames<MemoryOptions> = {
  ...HISTORY_WINDOW_OPTIONS,
  ...MESSAGE_PERSISTENCE_OPTIONS,
  storage: 'optional',
  observations: OBSERVATIONS_OPTIONS,
  semanticRecall: SEMANTIC_RECALL_OPTIONS,
  workingMemory: WORKING_MEMORY_OPTIONS,
  retention: RETENTION_OPTIONS,
  threads: THREAD_SEED,
  processors: 'optional',
  onError: 'optional',
}
