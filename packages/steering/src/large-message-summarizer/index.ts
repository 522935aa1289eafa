export {
  LargeMessageSummarizer,
  type LargeMessageSummarizerEvent,
  type LargeMessageSummarizerOptions,
} from './large-message-summarizer.ts'
