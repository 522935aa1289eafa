import type { Message, ProcessInputStepArgs, Processor } from '@millrace/core'

/** Shows the model the last `limit` messages, beginning with a user's. The conversation itself stays whole. */
export class RecentMessages implements Processor<'recent-messages'> {
  readonly id = 'recent-messages'
  readonly #limit: number

  constructor({ limit = 20 }: { limit?: number } = {}) {
    this.#limit = limit
  }

  processInputStep({ messages }: ProcessInputStepArgs): { messages: Message[] } | undefined {
    if (messages.length <= this.#limit) return undefined
    const recent = messages.slice(-this.#limit)
    return { messages: recent.slice(recent.findIndex(({ role }) => role === 'user')) }
  }
}
