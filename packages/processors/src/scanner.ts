export * from '@millrace/guards/scanner'
