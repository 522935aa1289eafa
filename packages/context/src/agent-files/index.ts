export type { ContextEvent, ContextOptions } from '../content/context-options.ts'
export { AgentFiles, type AgentFilesOptions } from './agent-files.ts'
