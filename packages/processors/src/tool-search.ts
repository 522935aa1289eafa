export * from '@millrace/steering/tool-search'
