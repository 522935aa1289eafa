export * from '@millrace/guards/guard'
