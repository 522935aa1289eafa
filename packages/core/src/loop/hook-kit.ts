// What calls hooks: loaded once, and only where there are processors.

export { Look } from '../processors/snapshot-of.ts'
export { ask, readResult } from './ask.ts'
export { ChunkHooks } from './output/chunk-hooks.ts'
