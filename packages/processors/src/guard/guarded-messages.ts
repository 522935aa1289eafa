import type {
  Message,
  MessageList,
  MessageOrigin,
  ProcessInputArgs,
  ProcessInputStepArgs,
  ProcessInputStepReturn,
} from '@millrace/core'
import { rewriteMessage } from './message-text.ts'
import type { TextCheck } from './text-check.ts'
import type { GuardSettings, Place } from './treatment.ts'

/** A message as it was left. */
interface Seen {
  readonly left: Message
  readonly leftOut: boolean
}

/** The messages of a run that go to the model: this turn's, remembered ones, and those of the context. */
export class GuardedMessages {
  readonly #settings: GuardSettings
  readonly #check: TextCheck
  readonly #messages = new Map<string, Seen>()

  constructor(settings: GuardSettings, check: TextCheck) {
    this.#settings = settings
    this.#check = check
  }

  input({ messages, messageList, abort }: ProcessInputArgs): MessageList | undefined {
    let changed = false
    for (const message of messages) {
      if (messageList.originOf(message.id) !== 'input') continue
      const { left, leftOut } = this.#message(message, { surface: 'input', abort })
      if (leftOut) messageList.remove(message.id)
      else if (left !== message) messageList.replace(left)
      changed ||= leftOut || left !== message
    }
    return changed ? messageList : undefined
  }

  inputStep({ messages, messageList, abort }: ProcessInputStepArgs): ProcessInputStepReturn {
    let changed = false
    const view: Message[] = []
    for (const message of messages) {
      const origin = messageList.originOf(message.id)
      if (!this.watches(origin)) {
        view.push(message)
        continue
      }
      const place =
        origin === 'input' ? { surface: 'input' as const, abort } : { surface: 'history' as const }
      const { left, leftOut } = this.#seen(message) ?? this.#message(message, place)
      if (!leftOut) view.push(left)
      if (left !== message && messageList.find(message.id) === message) messageList.replace(left)
      changed ||= leftOut || left !== message
    }
    return changed ? view : undefined
  }

  /** Whether messages of this origin are inspected before they go to the model. */
  watches(origin: MessageOrigin | undefined): boolean {
    return origin !== 'response' && this.#settings.surfaces.has(origin === 'input' ? 'input' : 'history')
  }

  /** Whether a message has been inspected as it is now. */
  isKnownAs(message: Message): boolean {
    return this.#seen(message) !== undefined
  }

  /** The input that is to be inspected before it is stored, where the guard has no part in the input hooks. */
  unseen(messageList: MessageList): Message[] {
    if (!this.#check.treatment.replacement || !this.#settings.surfaces.has('input')) return []
    return messageList.get('input').filter(({ id }) => !this.#messages.has(id))
  }

  /** Returns whether there was anything to redact. */
  redactUnseen(messageList: MessageList): boolean {
    let changed = false
    for (const message of this.unseen(messageList)) {
      const { left } = this.#message(message, { surface: 'input', isPast: true })
      if (left !== message) messageList.replace(left)
      changed ||= left !== message
    }
    return changed
  }

  #seen(message: Message): Seen | undefined {
    const known = this.#messages.get(message.id)
    return known && (known.left === message || known.leftOut) ? known : undefined
  }

  #message(message: Message, at: Pick<Place, 'surface' | 'abort' | 'isPast'>): Seen {
    const place: Place = { ...at, messageId: message.id, found: false }
    const left = rewriteMessage(message, (value, { kind, toolCallId }) => {
      const own: Place = { ...place, ...(toolCallId !== undefined && { toolCallId }) }
      const rewritten = this.#check.value(value, own, { numbers: kind !== 'provider' })
      place.found ||= own.found
      return rewritten
    })
    const seen = { left, leftOut: this.#check.treatment.removes(place) }
    this.#messages.set(message.id, seen)
    return seen
  }
}
