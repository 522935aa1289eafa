export * from '@millrace/steering/max-tool-calls-guard'
