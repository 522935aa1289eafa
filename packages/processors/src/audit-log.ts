export * from '@millrace/steering/audit-log'
