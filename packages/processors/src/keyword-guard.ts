export * from '@millrace/guards/keyword-guard'
