export * from '@millrace/steering/cost-guard'
