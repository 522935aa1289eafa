export * from '@millrace/guards/content-guard'
