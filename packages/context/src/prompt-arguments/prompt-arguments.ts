import {
  isRecord,
  type MessageList,
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type Processor,
  type RequestContext,
  requireOneOf,
  requireOptions,
} from '@millrace/core'
import { ContextMessages } from '../content/context-messages.ts'
import {
  ADDED_OPTIONS,
  type ContextOptions,
  type ContextSettings,
  contextSettings,
} from '../content/context-options.ts'
import { tokensOf } from '../content/fit-text.ts'
import { foldedText, referencesIn } from '../turn/references.ts'
import { type TurnText, turnText } from '../turn/turn-text.ts'
import { findPlaceholders, type Placeholder } from './find-placeholders.ts'

export type PromptArgumentValues = Readonly<Record<string, string | number | boolean | undefined>>

export interface PromptArgumentsOptions extends Omit<ContextOptions, 'onRefused'> {
  /**
   * The values by name (text, number or boolean), or a function of the request context that returns them.
   * Only own properties are used.
   */
  readonly arguments: PromptArgumentValues | ((requestContext: RequestContext) => PromptArgumentValues)
  /**
   * What happens to a placeholder without a value: `'keep'` leaves it in the text, `'block'` blocks the run.
   * Default: `'keep'`.
   */
  readonly onMissing?: 'keep' | 'block'
}

const PROMPT_ARGUMENTS_OPTIONS: OptionNames<PromptArgumentsOptions> = {
  ...ADDED_OPTIONS,
  arguments: 'required',
  onMissing: 'optional',
}

/** A placeholder with its value. */
type FilledPlaceholder = Placeholder & { readonly text: string }

/**
 * Replaces `{name}` in the user text of this turn by values, once, and not in code. A value is never
 * interpreted: if it is long, or would form a reference such as `@file` or `$(command)`, the model gets it in
 * a separate message.
 */
export class PromptArguments implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #settings: ContextSettings
  readonly #arguments: PromptArgumentsOptions['arguments']
  readonly #onMissing: 'keep' | 'block'

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: PromptArgumentsOptions) {
    const options = requireOptions('PromptArguments', given, PROMPT_ARGUMENTS_OPTIONS)
    const { onMissing = 'keep', onError = 'fail' } = options
    this.#settings = contextSettings(options, 'prompt-arguments')
    if (typeof options.arguments !== 'function' && !isRecord(options.arguments)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'arguments is not an object. Use values by name, or a function that returns them.',
      )
    }
    requireOneOf('onMissing', onMissing, ['keep', 'block'])
    this.#arguments = options.arguments
    this.#onMissing = onMissing
    this.id = this.#settings.id
    this.onError = onError
  }

  async processInput(args: ProcessInputArgs): Promise<MessageList | undefined> {
    const turn = await turnText(args, '{')
    const placeholders = turn ? findPlaceholders(turn.prose) : []
    if (!turn || placeholders.length === 0) return undefined
    const values =
      typeof this.#arguments === 'function' ? this.#arguments(args.requestContext) : this.#arguments
    const filled = placeholders.flatMap((placeholder): FilledPlaceholder[] => {
      const text = argumentOf(values, placeholder.name)
      return text === undefined ? [] : [{ ...placeholder, text }]
    })
    if (this.#onMissing === 'block' && filled.length < placeholders.length)
      args.abort('An argument has no value.', { metadata: { reason: 'missing' } })
    if (filled.length === 0) return undefined
    const { inline, tokens } = await this.#inline(turn, filled)
    if (inline.length > 0) args.messageList.replace(turn.replace(inline))
    const context = new ContextMessages(
      { ...this.#settings, maxTokens: this.#settings.maxTokens - tokens },
      args,
    )
    const beside = new Map(
      filled.filter((value) => !inline.includes(value)).map(({ name, text }) => [name, text]),
    )
    for (const [name, text] of beside)
      await context.add({ source: name, tag: 'argument', attributes: { name }, text })
    return (await context.finish()) ?? args.messageList
  }

  /** The values that can be inserted into the text, and the tokens of all values. */
  async #inline(
    turn: TurnText,
    filled: readonly FilledPlaceholder[],
  ): Promise<{ inline: readonly FilledPlaceholder[]; tokens: number }> {
    const sizes = await this.#sizes(filled)
    const short = filled.filter(({ name }) => sizes.has(name))
    const plain = short.filter(({ text }) => !UNUSUAL.test(foldedText(text)))
    const inline = [short, plain].find((values) => isInert(turn, values)) ?? []
    const names = new Set(inline.map(({ name }) => name))
    return { inline, tokens: [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0) }
  }

  /**
   * The tokens that each value takes in all its placeholders, for the values that fit into `maxTokens`: a
   * short text can have many placeholders.
   */
  async #sizes(filled: readonly FilledPlaceholder[]): Promise<ReadonlyMap<string, number>> {
    const { maxTokens, countTokens } = this.#settings
    const places = new Map<string, { text: string; count: number }>()
    for (const { name, text } of filled) {
      const place = places.get(name)
      if (place) place.count++
      else places.set(name, { text, count: 1 })
    }
    const sizes = new Map<string, number>()
    let left = maxTokens
    for (const [name, { text, count }] of places) {
      const size = count * (await tokensOf(text, countTokens))
      if (size > left) continue
      left -= size
      sizes.set(name, size)
    }
    return sizes
  }
}

/**
 * In a text longer than this (UTF-16 units), no values are inserted, because checking it would take too long.
 */
const MAX_CHECKED_LENGTH = 65_536

/** Characters that may begin, end or hide a reference or code. */
const UNUSUAL = /[^\p{L}\p{N}\p{M} _.,+-]/u

/**
 * Whether the text with the values contains exactly the references that the user wrote, also after
 * normalization by later processors.
 */
function isInert(turn: TurnText, values: readonly FilledPlaceholder[]): boolean {
  const filled = turn.replace(values).content.parts
  const text = filled.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  if (values.length === 0) return true
  if (Math.max(turn.text.length, text.length) > MAX_CHECKED_LENGTH) return false
  const placeholders = values.map(({ start, end }) => turn.text.slice(start, end))
  return [(text: string) => text, foldedText].every((fold) => {
    const taken = new Set(placeholders.map(fold))
    const own = referencesIn(fold(turn.text))?.filter((reference) => !taken.has(reference))
    const made = referencesIn(fold(text))
    return (
      own?.length === made?.length && own?.every((reference, index) => reference === made?.[index]) === true
    )
  })
}

function argumentOf(values: PromptArgumentValues, name: string): string | undefined {
  const value: unknown = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined || typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new MillraceError(
    'CONFIG_INVALID',
    `The argument '${name}' is ${value === null ? 'null' : `of type ${typeof value}`}. Use a text, a number, true or false.`,
  )
}
