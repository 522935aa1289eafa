import type { ProcessOutputStepArgs, Processor } from '@millrace/core'

/** Rejects an answer of more than `limit` words, once per run. The second attempt passes at any length. */
export class BriefAnswer implements Processor<'brief-answer'> {
  readonly id = 'brief-answer'
  readonly #limit: number

  constructor({ limit = 60 }: { limit?: number } = {}) {
    this.#limit = limit
  }

  async processOutputStep({ text, retryCount, writer, abort }: ProcessOutputStepArgs): Promise<void> {
    const words = text.split(/\s+/).filter(Boolean).length
    if (words <= this.#limit || retryCount > 0) return
    const objection = `The answer has ${words} words, and the maximum is ${this.#limit}`
    await writer.write({ type: 'data-objection', data: objection, transient: true })
    abort(`${objection}. Answer again, shorter.`, { retry: true })
  }
}
