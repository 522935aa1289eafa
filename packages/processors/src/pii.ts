export * from '@millrace/pii'
