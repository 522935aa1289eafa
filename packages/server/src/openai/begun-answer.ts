import type { AnswerPart } from './answer.ts'
import { providerFault } from './provider-error.ts'

/** Milliseconds after which a client gets its status, even if the model has not begun to answer. */
const LONGEST_SILENCE = 15_000

/**
 * Waits until the model begins to answer: until then a failure of its provider has a status. Other errors are
 * events of the stream.
 *
 * @throws the error of the provider
 */
export async function begun(parts: AsyncGenerator<AnswerPart>): Promise<AsyncGenerator<AnswerPart>> {
  const first = parts.next()
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LONGEST_SILENCE)
  })
  const refused = first.catch((error) => {
    if (providerFault(error)) throw error
  })
  try {
    await Promise.race([refused, silence])
  } finally {
    clearTimeout(timer)
  }
  return continued(first, parts)
}

async function* continued(
  first: Promise<IteratorResult<AnswerPart>>,
  rest: AsyncGenerator<AnswerPart>,
): AsyncGenerator<AnswerPart> {
  const { value, done } = await first
  if (done) return
  yield value
  yield* rest
}
