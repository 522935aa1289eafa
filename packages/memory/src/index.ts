export { Memory, type MemoryOptions } from './memory.ts'
export type { FindThread, ThreadIds, ThreadPlaceOptions } from './thread-place.ts'
