export { Memory } from './memory.ts'
export type { MemoryOptions } from './memory-options.ts'
export { fromMemoryProcessor } from './memory-processor/from-memory-processor.ts'
export type {
  LegacyMessage,
  MemoryProcessor,
  MemoryProcessorOptions,
} from './memory-processor/memory-processor.ts'
export type { HistoryWindowOptions } from './message-history/history-window.ts'
export {
  MessageHistoryProcessor,
  type MessageHistoryProcessorOptions,
} from './message-history/message-history-processor.ts'
export {
  type MessagePersistenceOptions,
  MessagePersistenceProcessor,
  type MessagePersistenceProcessorOptions,
} from './message-history/message-persistence-processor.ts'
export type { SelectMessagesOptions } from './message-history/select-messages.ts'
export type { ThreadTitleOptions } from './message-history/thread-title.ts'
export { TURN_MARK, type TurnMark } from './message-history/turn-mark.ts'
export type { MessageInput } from './message-input.ts'
export type { FilesOptions } from './method-options.ts'
export type { NewObservation, Observation, ObservationSource } from './observations/observation.ts'
export type { ObservationsOptions } from './observations/observations.ts'
export type { ObserveInput, Observer, ReflectInput, Reflector } from './observations/take-notes.ts'
export type { ImportCounts, ImportOptions } from './resource-data/import-resource.ts'
export type { ExportSource } from './resource-data/lines.ts'
export {
  type BackfillOptions,
  type BackfillPlace,
  type BackfillProgress,
  backfill,
} from './semantic-recall/backfill.ts'
export type { EmbeddingModel } from './semantic-recall/embedder.ts'
export type { QueryOptions } from './semantic-recall/query-messages.ts'
export {
  type SemanticRecallOptions,
  SemanticRecallProcessor,
  type SemanticRecallProcessorOptions,
} from './semantic-recall/semantic-recall-processor.ts'
export type { FindThread, ThreadIds, ThreadPlaceOptions } from './thread-place.ts'
export type { CloneThreadOptions } from './threads/clone-thread.ts'
export type { RetentionOptions } from './threads/retention.ts'
export type { FoundThread } from './threads/search-threads.ts'
export type { ThreadSeed } from './threads/seed-threads.ts'
export type { ListRule, ListRules } from './working-memory/list-rules.ts'
export type { WorkingMemory } from './working-memory/shape.ts'
export {
  type WorkingMemoryOptions,
  WorkingMemoryProcessor,
  type WorkingMemoryProcessorOptions,
} from './working-memory/working-memory-processor.ts'
