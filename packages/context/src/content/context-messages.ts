import { type Message, type MessageList, type ProcessInputArgs, userMessage } from '@millrace/core'
import { addContext } from './add-context.ts'
import type { ContextSettings } from './context-options.ts'
import { fitText, tokensOf } from './fit-text.ts'
import { escapeTags, type TaggedText, taggedText } from './tagged-text.ts'
import { visibleName } from './visible-name.ts'

/** Content to add to the prompt. */
export interface ContextContent extends TaggedText {
  /** Where it comes from. The message id is made of the processor's id and this. */
  readonly source: string
  /** A note for the model about this content. */
  readonly note?: string | undefined
  /** The note for the model if only this many lines are shown. */
  readonly cutNote?: (lines: number) => string
}

/** The share of `maxTokens` that is reserved for notes on what is left out. */
const NOTES_SHARE = 0.1
/** Reasons that are not refusals: the content does not exist, or does not fit. */
const NOT_REFUSED: ReadonlySet<string> = new Set(['missing', 'no-lines', 'no-room'])
const NOTES_TAG = 'context-notes'
/** With fewer tokens left than this, nothing is added: there would only be room for the tags. */
const MIN_TOKENS = 24

/**
 * Collects what one processor adds to one prompt: a user message with the origin `context` for each piece of
 * content, and one with notes on what was left out. Together they have at most `maxTokens`.
 */
export class ContextMessages {
  readonly #settings: ContextSettings
  readonly #args: Pick<ProcessInputArgs, 'messageList' | 'abort'>
  readonly #messages: Message[] = []
  readonly #notes: string[] = []
  readonly #reserved: number
  #left: number

  constructor(settings: ContextSettings, args: Pick<ProcessInputArgs, 'messageList' | 'abort'>) {
    this.#settings = settings
    this.#args = args
    this.#reserved = Math.ceil(settings.maxTokens * NOTES_SHARE)
    this.#left = settings.maxTokens - this.#reserved
  }

  /** Whether there is no room for more content. */
  get isFull(): boolean {
    return this.#left < MIN_TOKENS
  }

  /** Adds content, or as much of its beginning as fits. */
  async add(content: ContextContent): Promise<void> {
    const { source, tag, attributes, cutNote } = content
    const { maxTokens, countTokens } = this.#settings
    const note = content.note === undefined ? '' : `\n[${content.note}]`
    const whole = taggedText({ tag, attributes, text: `${content.text}${note}` })
    const tokens = await tokensOf(whole, countTokens)
    if (tokens <= this.#left) return this.#push(source, whole, { tokens })
    const why = `the limit of ${maxTokens} tokens is reached`
    const escaped = escapeTags(content.text, tag)
    const cutText = (text: string): string => {
      const lines = text.split('\n').length - (escaped.charAt(text.length) === '\n' ? 0 : 1)
      const told = cutNote?.(lines) ?? `Only the beginning is shown: ${why}.`
      return taggedText({ tag, attributes, text: `${text}\n[${told}]${note}` })
    }
    const frame = await tokensOf(cutText(''), countTokens)
    const text = this.isFull ? '' : await fitText(escaped, this.#left - frame, countTokens)
    const cut = cutText(text)
    const cutTokens = await tokensOf(cut, countTokens)
    if (text === '' || cutTokens > this.#left) return this.refuse(source, `Left out: ${why}.`, 'no-room')
    this.#push(source, cut, { tokens: cutTokens, reason: why })
  }

  /** Tells the model and `onContext` that something was not read. */
  refuse(source: string, sentence: string, reason: string): void {
    const { id, onContext, onRefused } = this.#settings
    onContext?.({ processorId: id, source, status: 'refused', reason })
    if (onRefused === 'block' && !NOT_REFUSED.has(reason))
      this.#args.abort(`Requested context was refused: ${reason}.`, { metadata: { reason } })
    this.#notes.push(`${visibleName(source)}: ${sentence}`)
  }

  /** Adds a note for the model about what is missing. */
  note(sentence: string): void {
    this.#notes.push(sentence)
  }

  /** Adds the messages to the transcript. `undefined` if there are none. */
  async finish(): Promise<MessageList | undefined> {
    await this.#addNotes()
    if (this.#messages.length === 0) return undefined
    return addContext(this.#args.messageList, this.#messages)
  }

  async #addNotes(): Promise<void> {
    if (this.#notes.length === 0) return
    const { countTokens, id } = this.#settings
    const room = this.#left + this.#reserved
    const attributes = { from: id }
    const frame = await tokensOf(taggedText({ tag: NOTES_TAG, attributes, text: '' }), countTokens)
    const notes = escapeTags(this.#notes.join('\n'), NOTES_TAG)
    const text = await fitText(notes, room - frame, countTokens)
    if (text !== '')
      this.#messages.push(this.#message('notes', taggedText({ tag: NOTES_TAG, attributes, text })))
  }

  #push(source: string, text: string, { tokens, reason }: { tokens: number; reason?: string }): void {
    const { id, onContext } = this.#settings
    const message = this.#message(source, text)
    this.#messages.push(message)
    this.#left -= tokens
    onContext?.({
      processorId: id,
      source,
      status: reason === undefined ? 'added' : 'cut',
      messageId: message.id,
      tokens,
      ...(reason !== undefined && { reason }),
    })
  }

  #message(source: string, text: string): Message {
    const name = `${this.#settings.id}:${visibleName(source)}`
    let id = name
    const isTaken = (): boolean =>
      this.#args.messageList.has(id) || this.#messages.some((message) => message.id === id)
    for (let count = 2; isTaken(); count++) id = `${name} (${count})`
    return { ...userMessage(text), id }
  }
}
