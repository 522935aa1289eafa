export { collect } from './collect.ts'
export { type FileOptions, file, type SourceFields, source } from './parts/attachment.ts'
export { type APIErrorFields, apiError, cut, errorPart, fail, rateLimited, refuse } from './parts/fault.ts'
export { finish, type TokenCounts, tokens } from './parts/finish.ts'
export { raw } from './parts/raw.ts'
export { type ReasoningOptions, reasoning, type TextOptions, text } from './parts/text.ts'
export { type ToolCallOptions, type ToolResultOptions, toolCall, toolResult } from './parts/tool.ts'
export {
  beforeResponse,
  delay,
  type Gate,
  gate,
  type HangOptions,
  hang,
  type PausePart,
  wait,
} from './parts/waiting.ts'
export type { Pause } from './pause.ts'
export type { ProcessorTestOptions } from './processor/processor-rules.ts'
export { testProcessor } from './processor/test-processor.ts'
export type { Script, Turn, TurnContent, TurnFunction } from './script.ts'
export { ScriptError } from './script-error.ts'
export type { ScriptPart } from './script-part.ts'
export { ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts'
export { type Death, MortalStore } from './storage/mortal-store.ts'
export type { StorageTestOptions } from './storage/storage-context.ts'
export { testStorage } from './storage/test-storage.ts'
export { testVectorStore, type VectorStoreTestOptions } from './storage/test-vector-store.ts'
export type { StorageProcessesOptions } from './storage-processes/process-context.ts'
export { testStorageInProcesses } from './storage-processes/test-storage-in-processes.ts'
export type { StreamOutcome, StreamRecord } from './stream-record.ts'
export { type ChunkLike, textOf } from './text-of.ts'
export type { FinishFields, TurnWriter } from './turn-writer.ts'
