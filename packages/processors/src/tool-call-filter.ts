export * from '@millrace/steering/tool-call-filter'
