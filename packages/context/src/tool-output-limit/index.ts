export type { ReadToolOutputInput, ReadToolOutputOutput } from './read-tool-output.ts'
export {
  type ToolOutputCutEvent,
  ToolOutputLimit,
  type ToolOutputLimitOptions,
} from './tool-output-limit.ts'
export {
  InMemoryToolOutputs,
  type StoredPart,
  type ToolOutputKey,
  type ToolOutputStore,
} from './tool-output-store.ts'
