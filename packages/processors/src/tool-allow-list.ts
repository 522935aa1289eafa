export * from '@millrace/steering/tool-allow-list'
