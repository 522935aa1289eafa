export * from '@millrace/steering/model-fallback'
