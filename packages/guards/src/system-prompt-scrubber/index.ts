export {
  type LeakSurface,
  SystemPromptScrubber,
  type SystemPromptScrubberOptions,
} from './system-prompt-scrubber.ts'
