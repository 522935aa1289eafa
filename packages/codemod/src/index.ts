export { applyCodemod, type CodemodResult, TRANSFORMS } from './codemod.ts'
export type { Note, Transform } from './transform.ts'
