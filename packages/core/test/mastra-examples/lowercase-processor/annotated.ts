import type { MastraDBMessage, ProcessInputArgs, Processor } from '@millrace/core'

export class LowercaseProcessor implements Processor {
  id = 'lowercase'

  async processInput({ messages }: ProcessInputArgs): Promise<MastraDBMessage[]> {
    return messages.map((msg) => ({
      ...msg,
      content: {
        ...msg.content,
        parts: msg.content.parts?.map((part) =>
          part.type === 'text' ? { ...part, text: part.text.toLowerCase() } : part,
        ),
      },
    }))
  }
}
