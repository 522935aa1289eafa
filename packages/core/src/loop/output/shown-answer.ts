import { copyData } from '../../copy-data.ts'
import type { Message } from '../../messages/message.ts'
import { type MessageChange, MessageWatch } from '../../processors/message-watch.ts'
import type { Run } from '../../run/run.ts'
import type { WatchOptions } from '../../run/run-observer.ts'
import { shownMessages } from '../../run/shown-messages.ts'
import type { Step } from '../../run/step.ts'
import { stepsOf } from '../../run/steps-of.ts'
import { isContent } from './held-chunks.ts'
import { readSteps } from './read-steps.ts'

/** Number of newest parts whose data is compared after a step. At the end of the run it is all parts. */
const NEWEST_PARTS = 32

const retracted = new WeakSet<Step>()

/** Whether processors have changed text or reasoning of the step after it was emitted. */
export function isRetracted(step: Step): boolean {
  return retracted.has(step)
}

/**
 * What readers that do not wait have of the answer. If processors change it, these readers get `response-replaced`.
 */
export class ShownAnswer {
  readonly #run: Run
  readonly #watch = new MessageWatch()
  /** The emitted steps while processors review the answer, with their text before. */
  #reviewed: { step: Step; text: string; reasoningText: string }[] | undefined
  /** The position of the first emitted step that was changed, until readers are told. */
  #from = Number.POSITIVE_INFINITY

  constructor(run: Run) {
    this.#run = run
  }

  /** Call before processors review the answer. */
  watch({ isEnd = false }: WatchOptions = {}): void {
    this.compare()
    const steps = this.#steps
    if (steps.length === 0) return
    this.#watch.parts = isEnd ? Number.POSITIVE_INFINITY : NEWEST_PARTS
    this.#watch.capture(answers(this.#messages))
    this.#reviewed = steps.map((step) => {
      const { text, reasoningText } = step.state
      return { step, text, reasoningText }
    })
  }

  /** Notes what the processors have changed. Call before anything else is emitted. Never throws. */
  compare(): void {
    unlessDamaged(() => this.#compare())
  }

  /** Tells readers what was changed, if anything was. Never throws. */
  tell(): Promise<void> | undefined {
    this.compare()
    return unlessDamaged(() => this.#tell())
  }

  #compare(): void {
    const reviewed = this.#reviewed
    if (!reviewed) return
    this.#reviewed = undefined
    const messages = answers(this.#messages)
    if (this.#watch.isChanged(messages)) {
      readSteps(this.#run, stepsOf(this.#run))
      this.#from = Math.min(this.#from, firstChanged(messages, this.#watch.changes(messages)))
    }
    for (const [index, { step, text, reasoningText }] of reviewed.entries()) {
      if (step.state.text === text && step.state.reasoningText === reasoningText) continue
      retracted.add(step)
      this.#from = Math.min(this.#from, index)
    }
  }

  #tell(): Promise<void> | undefined {
    const steps = this.#steps
    const last = steps.at(-1)
    const first = steps[this.#from]
    this.#from = Number.POSITIVE_INFINITY
    // A step that was discarded since is not in the list.
    if (!first || !last) return undefined
    const { text, held } = last.state
    const messages = copyData(this.#messages)
    // Text after a call that is held is in these messages.
    if (held) last.state.held = held.filter((chunk) => 'toolCallId' in chunk || !isContent(chunk))
    const fromStep = first === last ? {} : { fromStep: first.number }
    return this.#run.emit({ type: 'response-replaced', messages, text, ...fromStep })
  }

  /** The steps of which something was emitted. */
  get #steps(): Step[] {
    return stepsOf(this.#run).filter(({ state }) => state.emitted)
  }

  get #messages(): Message[] {
    const last = stepsOf(this.#run).at(-1)
    return shownMessages(this.#run.messageList.get('response'), last?.state)
  }
}

/** `undefined` if a hook has damaged a message. Then the run fails, or the step is discarded. */
function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** The content of the answers alone: metadata is not shown. */
function answers(messages: readonly Message[]): Message[] {
  return messages
    .filter(({ role }) => role === 'assistant')
    .map((message) => ({ ...message, content: { parts: message.content.parts } }))
}

/** The position of the first step that has changed. Where a message is missing, it is not known: the first of all. */
function firstChanged(messages: readonly Message[], changes: readonly MessageChange[]): number {
  if (changes.some(({ after }) => after === undefined)) return 0
  const places = new Map(changes.map(({ messageId, partIndex = 0 }) => [messageId, partIndex]))
  let step = -1
  for (const { id, content } of messages) {
    const place = places.get(id)
    for (const { type } of content.parts.slice(0, place)) if (type === 'step-start') step++
    if (place !== undefined) break
  }
  return Math.max(step, 0)
}
