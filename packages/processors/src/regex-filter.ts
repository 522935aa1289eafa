export * from '@millrace/guards/regex-filter'
