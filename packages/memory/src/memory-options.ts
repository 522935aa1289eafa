import type { Store } from '@millrace/core'
import type { MemoryProcessor } from './memory-processor/memory-processor.ts'
import type { HistoryWindowOptions } from './message-history/history-window.ts'
import type { MessagePersistenceOptions } from './message-history/message-persistence-processor.ts'
import type { ObservationsOptions } from './observations/observations.ts'
import type { SemanticRecallOptions } from './semantic-recall/semantic-recall-processor.ts'
import type { RetentionOptions } from './threads/retention.ts'
import type { ThreadSeed } from './threads/seed-threads.ts'
import type { WorkingMemoryOptions } from './working-memory/working-memory-processor.ts'

export interface MemoryOptions extends HistoryWindowOptions, MessagePersistenceOptions {
  /** Where everything is kept, suspended runs too. Default: an `InMemoryStore`, which is gone with the process. */
  storage?: Store | undefined
  /**
   * Keeps dated notes of what was said, and shows them in place of older messages, with all the newer ones: in place of
   * `lastMessages` and `maxTokens`. Default: older messages are left out.
   */
  observations?: ObservationsOptions | undefined
  /** Recalls older messages that bear on what the user says. Default: false. */
  semanticRecall?: boolean | SemanticRecallOptions | undefined
  /** Keeps a few facts at hand, by a template or a schema. Default: none. */
  workingMemory?: WorkingMemoryOptions | undefined
  /**
   * How long messages are kept: `{ days }`, `{ turns }` of a thread, or both. What is kept no longer is deleted when a turn of
   * its thread is stored, in the background, and by `applyRetention`. Default: everything is kept.
   */
  retention?: RetentionOptions | undefined
  /** Threads that are there from the beginning: created with the first call, where they are not there yet. */
  threads?: readonly ThreadSeed[] | undefined
  /** Mastra's memory processors, for moving over: they stand behind history and recall. Default: none. */
  processors?: readonly MemoryProcessor[] | undefined
  /**
   * What happens when the store fails: `skip` delivers the answer and puts the error into `result.warnings`, `fail` ends
   * the run. Default: `skip`, but `fail` for `processors`, which may keep something from the model.
   */
  onError?: 'fail' | 'skip' | undefined
}
