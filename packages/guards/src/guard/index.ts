export { yieldToEventLoop } from '../event-loop.ts'
export { pushInSlices, SLICE, slicesOf } from '../slices.ts'
export { rewriteValue as rewriteJson } from './bytes/opened-value.ts'
export type { Replacement } from './edited-text.ts'
export { type Control, endRun } from './end-run.ts'
export type { Entity, EntityFinder } from './entities.ts'
export { GuardedText } from './guarded-text.ts'
export * from './options.ts'
export { type Redaction, replacementOf } from './redaction.ts'
export {
  CHUNK_FIELDS,
  EVENT_FIELDS,
  type FieldSurface,
  RESULT_FIELDS,
  SPAN_FIELDS,
  STEP_FIELDS,
} from './surface-table.ts'
export { TextGuard, type TextGuardOptions } from './text-guard.ts'
export type { OpenScan, TextScanner } from './text-scanner.ts'
