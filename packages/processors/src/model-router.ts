export * from '@millrace/steering/model-router'
