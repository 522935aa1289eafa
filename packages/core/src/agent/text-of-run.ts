import { MillraceError } from '../errors.ts'
import { type Message, textOfParts } from '../messages/message.ts'
import type { Chunk } from '../results/chunk.ts'
import type { Run } from '../run/run.ts'
import { shownMessages } from '../run/shown-messages.ts'
import type { Step } from '../run/step.ts'
import { stepsInReview } from '../run/steps-in-review.ts'
import { SaidText } from './said-text.ts'

/**
 * The text of a run. Text that processors may still change in `processOutputStep` is held until its step is accepted.
 *
 * @param options.read Attaches the run's only reader
 * @param options.waits Whether the text that is read now may still be changed there
 * @throws MillraceError `RUN_TEXT_RETRACTED` if processors have rejected or changed text that was yielded
 */
export async function* textOfRun(
  run: Run,
  { read, waits }: { read: () => AsyncIterableIterator<Chunk>; waits: () => boolean },
): AsyncGenerator<string, void> {
  /** The text of the answer that was yielded, and what follows it in the current step. */
  const said = new SaidText()
  let held = ''
  /** The length of `said` before the current step. */
  let stepAt = 0
  run.onStart = (step) => {
    if (!step) return
    const shown = textOfMessages(shownMessages(run.messageList.get('response'), step.state))
    const waited = stepsInReview(run, step).filter(({ state }) => state.emitted)
    const text = waited.map(({ state }) => state.text).join('')
    said.add(shown.slice(0, shown.length - text.length))
    held = text.slice(0, text.length - heldText(step).length)
  }
  for await (const chunk of read()) {
    switch (chunk.type) {
      case 'step-start':
      case 'finish':
        // From here on the last step cannot be rejected any more.
        if (held !== '') yield held
        said.add(held)
        held = ''
        stepAt = said.length
        break
      case 'text-delta':
        if (waits()) held += chunk.textDelta
        else {
          said.add(chunk.textDelta)
          yield chunk.textDelta
        }
        break
      case 'step-discarded':
        if (said.length > stepAt) throw retracted()
        held = ''
        break
      case 'response-replaced': {
        const text = textOfMessages(chunk.messages)
        if (!said.isStartOf(text)) throw retracted()
        held = text.slice(said.length)
        break
      }
      case 'suspended':
      case 'abort':
        if (held !== '' && stepsInReview(run).length === 0) yield held
        break
    }
  }
}

/** The text of the step that is still to be emitted. */
function heldText({ state: { held } }: Step): string {
  return held?.map((chunk) => (chunk.type === 'text-delta' ? chunk.textDelta : '')).join('') ?? ''
}

/** The text of the answers among the messages. */
function textOfMessages(messages: readonly Message[]): string {
  const answers = messages.filter(({ role }) => role === 'assistant')
  return answers.map(({ content }) => textOfParts(content.parts)).join('')
}

function retracted(): MillraceError {
  return new MillraceError(
    'RUN_TEXT_RETRACTED',
    "A processor rejected or changed text that textStream had already yielded. Read fullStream, which has 'step-discarded' and 'response-replaced' chunks, or set emit: 'step'.",
  )
}
