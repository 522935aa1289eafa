export type { Entity, EntityFinder, Redaction } from '@millrace/guards/guard'
export { PIIDetector, type PIIDetectorOptions } from './pii-detector.ts'
export { type PIISelection, piiRecognizers } from './recognizers.ts'
export { PII_REGIONS, PII_TYPES, type PIIRegion, type PIIType } from './types.ts'
