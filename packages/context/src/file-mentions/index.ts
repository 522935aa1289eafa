export type { ContextEvent, ContextOptions } from '../content/context-options.ts'
export { FileMentions, type FileMentionsOptions } from './file-mentions.ts'
