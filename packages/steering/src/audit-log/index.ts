export { AuditLog, type AuditLogOptions } from './audit-log.ts'
export type { AuditLogLossEvent, AuditSink } from './audit-queue.ts'
export type { AuditRecord } from './audit-record.ts'
export type { RotationOptions } from './file-sink.ts'
