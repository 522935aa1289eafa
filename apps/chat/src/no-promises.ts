import type { Processor } from '@millrace/core'

/** What the model is told when its answer is taken back. */
export const PROMISE_REFUSED = 'Answer again without a guarantee.'

/** Takes an answer back that guarantees something, and has the model answer again. Readers see the text disappear. */
export const noPromises: Processor<'no-promises'> = {
  id: 'no-promises',
  processOutputStep({ text, abort }) {
    if (/\bguarantee\b/i.test(text)) abort(PROMISE_REFUSED, { retry: true })
  },
}
