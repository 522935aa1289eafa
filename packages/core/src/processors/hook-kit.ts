// What calls hooks: loaded once, and only where there are processors.
export { ask, readResult } from './ask.ts'
export { ChunkHooks } from './chunk-hooks.ts'
export { Look } from './snapshot-of.ts'
