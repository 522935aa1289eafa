export type { ContextEvent, ContextOptions } from '../content/context-options.ts'
export { EditorContext, type EditorContextOptions } from './editor-context.ts'
export type { EditorState } from './editor-state.ts'
