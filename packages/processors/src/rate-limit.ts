export * from '@millrace/steering/rate-limit'
