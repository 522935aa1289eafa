import type { MessageList, ProcessInputStepArgs, Processor } from '@millrace/core'

export class ReasoningTransformer implements Processor {
  id = 'reasoning-transformer'

  async processInputStep({ messages, messageList }: ProcessInputStepArgs): Promise<MessageList> {
    // Transform reasoning parts to thinking parts at each step
    // This is useful when switching between model providers
    for (const msg of messages) {
      if (msg.role === 'assistant' && msg.content.parts) {
        for (const part of msg.content.parts) {
          if (part.type === 'reasoning') {
            ;(part as { type: string }).type = 'thinking'
          }
        }
      }
    }
    return messageList
  }
}
