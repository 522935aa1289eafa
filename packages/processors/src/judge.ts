export * from '@millrace/guards/judge'
