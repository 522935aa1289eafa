export * from '@millrace/guards'
export * from '@millrace/pii'
export * from '@millrace/steering'
export * from '@millrace/tokens'
