export * from '@millrace/guards/system-prompt-scrubber'
