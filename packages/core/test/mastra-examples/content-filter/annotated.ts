import type {
  Chunk,
  MastraDBMessage,
  ProcessInputArgs,
  ProcessOutputStreamArgs,
  Processor,
} from '@millrace/core'

export class ContentFilter implements Processor {
  id = 'content-filter'
  private blockedWords: string[]

  constructor(blockedWords: string[]) {
    this.blockedWords = blockedWords
  }

  async processInput({ messages, abort }: ProcessInputArgs): Promise<MastraDBMessage[]> {
    for (const msg of messages) {
      const text = msg.content.parts
        ?.filter((p) => p.type === 'text')
        .map((p) => p.text)
        .join(' ')

      if (this.blockedWords.some((word) => text?.includes(word))) {
        abort('Blocked content detected in input')
      }
    }
    return messages
  }

  async processOutputStream({ part, abort }: ProcessOutputStreamArgs): Promise<Chunk | null> {
    if (part.type === 'text-delta') {
      if (this.blockedWords.some((word) => part.textDelta.includes(word))) {
        abort('Blocked content detected in output')
      }
    }
    return part
  }
}
