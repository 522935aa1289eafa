export * from '@millrace/steering/large-message-summarizer'
