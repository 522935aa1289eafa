export type { ContextEvent, ContextOptions } from '../content/context-options.ts'
export { memoryFolder } from './memory-folder.ts'
export { type MemoryImportArgs, MemoryImports, type MemoryImportsOptions } from './memory-imports.ts'
