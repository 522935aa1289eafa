import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { MillraceError } from '../errors.ts'
import { type Message, toUIMessage, type UIMessage } from '../messages/message.ts'
import { requireOptions } from '../option-names.ts'
import { isRecord } from '../record.ts'
import { type PromptOptions, PromptWriter } from './prompt.ts'

/**
 * The origin of a message: loaded from a store (`remembered`), given by the caller (`input`), created in this run
 * (`response`), or added for this run only and never stored (`context`).
 */
export type MessageOrigin = 'remembered' | 'input' | 'response' | 'context'

/**
 * The transcript of a run: messages in order, each with its origin. Ids are unique. Messages are live objects: edits
 * in place are sent to the model and stored.
 */
export class MessageList implements Iterable<Message> {
  #messages: Message[] = []
  readonly #origins = new Map<string, MessageOrigin>()
  readonly #prompts = new PromptWriter()
  readonly #known = new WeakSet<object>()
  #version = 0

  /** Increases with each change of the list. Edits of messages in place do not count. */
  get version(): number {
    return this.#version
  }

  get length(): number {
    return this.#messages.length
  }

  get last(): Message | undefined {
    return this.#messages.at(-1)
  }

  [Symbol.iterator](): Iterator<Message> {
    return this.#messages[Symbol.iterator]()
  }

  /** All messages in order, or those of one origin, as a new array of the live objects. */
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
   * Adds messages. Remembered and context messages are inserted before the first input message, in the given order;
   * others are appended.
   *
   * @throws MillraceError `RUN_MESSAGE_DUPLICATE` if an id already exists, `RUN_MESSAGE_INVALID` if a value is not a
   *   message; then nothing is added
   */
  add(messages: Message | readonly Message[], origin: MessageOrigin): this {
    const added: readonly Message[] = Array.isArray(messages) ? messages : [messages as Message]
    this.#check(added, 'add')
    const ids = new Set<string>()
    for (const { id } of added) {
      if (this.#origins.has(id) || ids.has(id)) throw duplicateId(id)
      ids.add(id)
    }
    for (const { id } of added) this.#origins.set(id, origin)
    this.#messages.splice(this.#placeOf(origin), 0, ...added)
    this.#version++
    return this
  }

  /**
   * Replaces the message with the same id and keeps its origin; appends the message if its id is new.
   *
   * @throws MillraceError `RUN_MESSAGE_INVALID`
   */
  replace(message: Message): this {
    this.#check([message], 'replace')
    const index = this.#messages.findIndex(({ id }) => id === message.id)
    if (index === -1) return this.add(message, originOfRole(message))
    this.#messages[index] = message
    this.#version++
    return this
  }

  /**
   * Replaces messages with existing ids and appends new ones. Other messages are kept.
   *
   * @throws MillraceError `RUN_MESSAGE_INVALID`; then nothing is changed
   */
  merge(messages: readonly Message[]): this {
    this.#check(messages, 'merge')
    for (const message of messages) this.replace(message)
    return this
  }

  /**
   * Replaces the whole list: missing messages are removed, and new ids get the origin of their role.
   *
   * @throws MillraceError `RUN_MESSAGE_DUPLICATE` if an id occurs twice, `RUN_MESSAGE_INVALID` if a value is not a
   *   message; then nothing is changed
   */
  set(messages: readonly Message[]): this {
    this.#check(messages, 'set')
    const origins = new Map<string, MessageOrigin>()
    for (const message of messages) {
      if (origins.has(message.id)) throw duplicateId(message.id)
      origins.set(message.id, this.#origins.get(message.id) ?? originOfRole(message))
    }
    this.#messages = [...messages]
    this.#origins.clear()
    for (const [id, origin] of origins) this.#origins.set(id, origin)
    this.#version++
    return this
  }

  /** Removes messages by id, of any origin. Unknown ids are ignored. */
  remove(ids: string | readonly string[]): this {
    const gone = new Set(typeof ids === 'string' ? [ids] : ids)
    for (const id of gone) this.#origins.delete(id)
    this.#messages = this.#messages.filter(({ id }) => !gone.has(id))
    this.#version++
    return this
  }

  /** The transcript for the AI SDK's chat clients. The parts are shared, not copied. */
  toUIMessages(): UIMessage[] {
    return this.#messages.map(toUIMessage)
  }

  /**
   * Converts the transcript, or `messages`, to a model prompt. Messages that were converted before and not edited
   * since are not converted again.
   */
  toPrompt(options: PromptOptions & { messages?: readonly Message[] } = {}): Promise<LanguageModelV4Prompt> {
    requireOptions('messageList.toPrompt()', options, {
      systemMessages: 'optional',
      tools: 'optional',
      messages: 'optional',
    })
    return this.#prompts.write(options.messages ?? this.#messages, options)
  }

  /**
   * Sets the prompt form of a message, by step. `toPrompt` uses it until the message is edited. Objects within its
   * parts, such as tool inputs and outputs, must be the same objects as in the prompt, so that edits to them appear
   * there.
   */
  adoptPrompt(message: Message, steps: readonly (readonly LanguageModelV4Message[])[]): this {
    this.#prompts.adopt(message, steps)
    return this
  }

  /** Messages that are in the list are already validated. */
  #check(messages: readonly Message[], method: string): void {
    if (!Array.isArray(messages)) throw invalidMessage(method, 'the argument is not a list')
    for (const [index, message] of messages.entries()) {
      if (this.#known.has(message)) continue
      const problem = problemOf(message)
      if (problem !== undefined)
        throw invalidMessage(method, `the message ${nameOf(message, index)} ${problem}`)
      this.#known.add(message)
    }
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

function problemOf(message: unknown): string | undefined {
  if (!isRecord(message)) return 'is not an object'
  const { id, role, content } = message
  if (typeof id !== 'string') return 'has no id: pass a string, such as crypto.randomUUID()'
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    return "has no role 'user', 'assistant' or 'system'"
  if (!isRecord(content) || !Array.isArray(content.parts))
    return "has no content of parts: content must be { parts: [{ type: 'text', text }] }"
  const { parts } = content
  for (let index = 0; index < parts.length; index++) {
    const part: unknown = parts[index]
    if (!isRecord(part) || typeof part.type !== 'string') return `has no part with a type at ${index}`
    if (part.type === 'text' && typeof part.text !== 'string')
      return `has a text part without a text at ${index}`
  }
  return undefined
}

function nameOf(message: unknown, index: number): string {
  return isRecord(message) && typeof message.id === 'string' ? `'${message.id}'` : `at ${index}`
}

function invalidMessage(method: string, what: string): MillraceError {
  return new MillraceError('RUN_MESSAGE_INVALID', `messageList.${method}() takes messages, but ${what}.`)
}

function duplicateId(id: string): MillraceError {
  return new MillraceError(
    'RUN_MESSAGE_DUPLICATE',
    `A message with the id '${id}' is already in the list. Use a unique id, or replace() to change the existing message.`,
  )
}
