import type { Chunk, ProcessOutputStreamArgs, Processor } from '@millrace/core'

interface CountingArgs extends ProcessOutputStreamArgs {
  state: { wordCount?: number }
}

export class WordCounter implements Processor {
  id = 'word-counter'

  async processOutputStream({ part, state }: CountingArgs): Promise<Chunk> {
    // Initialize state on first chunk
    if (!state.wordCount) {
      state.wordCount = 0
    }

    // Count words in text chunks
    if (part.type === 'text-delta') {
      const words = part.textDelta.split(/\s+/).filter(Boolean)
      state.wordCount += words.length
    }

    // Log word count on finish
    if (part.type === 'finish') {
      console.log(`Total words: ${state.wordCount}`)
    }

    return part
  }
}
