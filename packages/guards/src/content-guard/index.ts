export { ContentGuard, type ContentGuardOptions, type LengthFinding } from './content-guard.ts'
export type { LengthUnit } from './length-meter.ts'
