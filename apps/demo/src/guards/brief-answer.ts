import type { ProcessOutputStepArgs, Processor } from '@millrace/core'

/** Sends an answer of more than `limit` words back, once a run. The second attempt passes, whatever its length. */
export class BriefAnswer implements Processor<'brief-answer'> {
  readonly id = 'brief-answer'
  readonly #limit: number

  constructor({ limit = 60 }: { limit?: number } = {}) {
    this.#limit = limit
  }

  async processOutputStep({ text, retryCount, writer, abort }: ProcessOutputStepArgs): Promise<void> {
    const words = text.split(/\s+/).filter(Boolean).length
    if (words <= this.#limit || retryCount > 0) return
    const objection = `The answer has ${words} words, at most ${this.#limit} are wanted`
    await writer.write({ type: 'data-objection', data: objection, transient: true })
    abort(`${objection}. Answer again, shorter.`, { retry: true })
  }
}
