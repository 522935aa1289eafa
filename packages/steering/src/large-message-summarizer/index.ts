export {
  LargeMessageSummarizer,
  type LargeMessageSummarizerOptions,
  type SummaryEvent,
} from './large-message-summarizer.ts'
