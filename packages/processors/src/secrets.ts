export * from '@millrace/guards/secrets'
