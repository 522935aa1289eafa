export type { ContextEvent, ContextOptions } from '../content/context-options.ts'
export { DirectoryContext, type DirectoryContextOptions } from './directory-context.ts'
