export * from '@millrace/guards/moderation'
