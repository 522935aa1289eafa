export * from '@millrace/tokens'
