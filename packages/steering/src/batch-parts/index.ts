export { BatchParts, type BatchPartsOptions } from './batch-parts.ts'
