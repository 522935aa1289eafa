export * from '@millrace/steering/approval-gate'
