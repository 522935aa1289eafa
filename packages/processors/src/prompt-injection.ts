export * from '@millrace/guards/prompt-injection'
