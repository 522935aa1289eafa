export * from '@millrace/guards/unicode-normalizer'
