export type { Replacement } from './edited-text.ts'
export type { Entity, EntityFinder } from './entities.ts'
export * from './options.ts'
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
