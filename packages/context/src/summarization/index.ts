export { Summarization } from './summarization.ts'
export type { SummarizationEvent, SummarizationOptions } from './summarization-options.ts'
