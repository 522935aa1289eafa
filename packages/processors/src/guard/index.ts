export type { Replacement } from './guarded-text.ts'
export * from './options.ts'
export { TextGuard, type TextGuardOptions } from './text-guard.ts'
export type { OpenScan, TextScanner } from './text-scanner.ts'
