export * from '@millrace/steering/loop-detector'
