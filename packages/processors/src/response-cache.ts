export * from '@millrace/steering/response-cache'
