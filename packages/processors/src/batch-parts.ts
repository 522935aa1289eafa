export * from '@millrace/steering/batch-parts'
