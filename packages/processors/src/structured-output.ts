export * from '@millrace/steering/structured-output'
