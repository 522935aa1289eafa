import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { MillraceError } from '../errors.ts'
import { type Message, toUIMessage, type UIMessage } from './message.ts'
import { type PromptOptions, PromptWriter } from './prompt.ts'

/**
 * Where a message came from: loaded from a store (`remembered`), given by the caller (`input`), made in this run
 * (`response`), or added for this run only and never stored (`context`).
 */
export type MessageOrigin = 'remembered' | 'input' | 'response' | 'context'

/**
 * The transcript of a run: messages in order, each with its origin. Ids are unique. Messages are live objects: what a
 * processor edits in place is what the model sees and what is stored.
 */
export class MessageList implements Iterable<Message> {
  #messages: Message[] = []
  readonly #origins = new Map<string, MessageOrigin>()
  readonly #prompts = new PromptWriter()

  get length(): number {
    return this.#messages.length
  }

  get last(): Message | undefined {
    return this.#messages.at(-1)
  }

  [Symbol.iterator](): Iterator<Message> {
    return this.#messages[Symbol.iterator]()
  }

  /** All messages in order, or those of one origin, as a fresh array of the live objects. */
  get(origin?: MessageOrigin): Message[] {
    if (origin === undefined) return [...this.#messages]
    return this.#messages.filter((message) => this.#origins.get(message.id) === origin)
  }

  /** The message with this id, if any. */
  find(id: string): Message | undefined {
    return this.#origins.has(id) ? this.#messages.findLast((message) => message.id === id) : undefined
  }

  has(id: string): boolean {
    return this.#origins.has(id)
  }

  originOf(id: string): MessageOrigin | undefined {
    return this.#origins.get(id)
  }

  /**
   * Appends messages. Remembered and context messages go before the first input message, in the order given, so that
   * history stays history; all others go last.
   *
   * @throws MillraceError `RUN_MESSAGE_DUPLICATE` if an id is already there; nothing is added then.
   */
  add(messages: Message | readonly Message[], origin: MessageOrigin): this {
    const added: readonly Message[] = Array.isArray(messages) ? messages : [messages as Message]
    const ids = new Set<string>()
    for (const { id } of added) {
      if (this.#origins.has(id) || ids.has(id)) throw duplicateId(id)
      ids.add(id)
    }
    for (const { id } of added) this.#origins.set(id, origin)
    this.#messages.splice(this.#placeOf(origin), 0, ...added)
    return this
  }

  /** Puts `message` in the place of the one with its id, keeping the origin; appends it if the id is new. */
  replace(message: Message): this {
    const index = this.#messages.findIndex(({ id }) => id === message.id)
    if (index === -1) return this.add(message, originOfRole(message))
    this.#messages[index] = message
    return this
  }

  /** Replaces messages with a known id, appends those with a new one. What is left out stays. */
  merge(messages: readonly Message[]): this {
    for (const message of messages) this.replace(message)
    return this
  }

  /**
   * Makes `messages`, in their order, the whole list: what is left out is removed, new ids take their role's origin.
   *
   * @throws MillraceError `RUN_MESSAGE_DUPLICATE` if an id occurs twice.
   */
  set(messages: readonly Message[]): this {
    const origins = new Map<string, MessageOrigin>()
    for (const message of messages) {
      if (origins.has(message.id)) throw duplicateId(message.id)
      origins.set(message.id, this.#origins.get(message.id) ?? originOfRole(message))
    }
    this.#messages = [...messages]
    this.#origins.clear()
    for (const [id, origin] of origins) this.#origins.set(id, origin)
    return this
  }

  /** Removes messages by id, wherever they came from. Unknown ids are ignored. */
  remove(ids: string | readonly string[]): this {
    const gone = new Set(typeof ids === 'string' ? [ids] : ids)
    for (const id of gone) this.#origins.delete(id)
    this.#messages = this.#messages.filter(({ id }) => !gone.has(id))
    return this
  }

  /** The transcript for the AI SDK's chat clients. The parts are shared, not copied. */
  toUIMessages(): UIMessage[] {
    return this.#messages.map(toUIMessage)
  }

  /**
   * The transcript, or `messages` in its place, as a model prompt. What was converted before and not edited since is
   * not converted again.
   */
  toPrompt(options: PromptOptions & { messages?: readonly Message[] } = {}): Promise<LanguageModelV4Prompt> {
    return this.#prompts.write(options.messages ?? this.#messages, options)
  }

  #placeOf(origin: MessageOrigin): number {
    if (origin === 'input' || origin === 'response') return this.#messages.length
    const firstInput = this.#messages.findIndex(({ id }) => this.#origins.get(id) === 'input')
    return firstInput === -1 ? this.#messages.length : firstInput
  }
}

function originOfRole({ role }: Message): MessageOrigin {
  switch (role) {
    case 'user':
      return 'input'
    case 'assistant':
      return 'response'
    case 'system':
      return 'context'
    default:
      return role satisfies never
  }
}

function duplicateId(id: string): MillraceError {
  return new MillraceError(
    'RUN_MESSAGE_DUPLICATE',
    `A message with the id '${id}' is already in the list. Give it an id of its own, or use replace() to change the one that is there.`,
  )
}
