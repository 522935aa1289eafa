import { type LanguageModelV4, MillraceError } from '@millrace/core'
import {
  type CountText,
  countTokens,
  encodingOf,
  loadEncoding,
  MessageTokens,
  warmUpEncoding,
} from '@millrace/tokens'

/** Token counters for the models of a run: with their encoding, or with the user's function. */
export class TokenCounters {
  readonly #own: MessageTokens | undefined
  readonly #count: CountText | undefined
  readonly #byEncoding = new Map<string, MessageTokens>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(count: CountText | undefined) {
    if (count === undefined) return
    if (typeof count !== 'function') {
      throw new MillraceError(
        'CONFIG_INVALID',
        `countTokens is of type ${typeof count}. Use a function that counts the tokens of a text.`,
      )
    }
    this.#count = checked(count)
    this.#own = new MessageTokens(this.#count)
  }

  /** Returns a counter for texts. */
  forText({ modelId }: Pick<LanguageModelV4, 'modelId'>): CountText {
    if (this.#count) return this.#count
    const encoding = encodingOf(modelId)
    return (text) => countTokens(text, { encoding })
  }

  /** Loads the table of the model's encoding. */
  async warmUp({ modelId }: Pick<LanguageModelV4, 'modelId'>): Promise<void> {
    if (this.#own) return
    await warmUpEncoding(encodingOf(modelId))
    await this.for({ modelId })
  }

  /** Returns a counter for messages: synchronously once the model's encoding is loaded. */
  for({ modelId }: Pick<LanguageModelV4, 'modelId'>): MessageTokens | Promise<MessageTokens> {
    if (this.#own) return this.#own
    const name = encodingOf(modelId)
    return this.#byEncoding.get(name) ?? this.#load(name)
  }

  async #load(name: ReturnType<typeof encodingOf>): Promise<MessageTokens> {
    const encoding = await loadEncoding(name)
    const tokens = this.#byEncoding.get(name) ?? new MessageTokens(encoding)
    this.#byEncoding.set(name, tokens)
    return tokens
  }
}

function checked(count: CountText): CountText {
  return async (text) => {
    const tokens = await count(text)
    if (Number.isFinite(tokens) && tokens >= 0) return tokens
    throw new MillraceError(
      'CONFIG_INVALID',
      `countTokens returned ${String(tokens)}. It must return the number of tokens of a text.`,
    )
  }
}
