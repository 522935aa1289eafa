import type { Processor } from '@millrace/core'

/** The feedback for the model when its answer is retracted. */
export const PROMISE_REFUSED = 'Answer again without a guarantee.'

/** Retracts an answer that guarantees something, and lets the model answer again. Readers see the text disappear. */
export const noPromises: Processor<'no-promises'> = {
  id: 'no-promises',
  processOutputStep({ text, abort }) {
    if (/\bguarantee\b/i.test(text)) abort(PROMISE_REFUSED, { retry: true })
  },
}
