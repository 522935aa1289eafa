import { type Message, MillraceError, type ProcessInputStepArgs, userMessage } from '@millrace/core'
import type { Definitions, MessageTokens } from '@millrace/tokens'
import { messagesOf, type Unit } from '../window/units.ts'

/** The prompt of one step as a list of units. Units before `start` are hidden, unless they are pinned. */
export class PromptView {
  readonly units: readonly Unit[]
  /** Units before this index are hidden. */
  start = 0
  /** The summary of the hidden units. */
  summary: Message | undefined
  readonly #args: Pick<ProcessInputStepArgs, 'systemMessages'>
  readonly #tokens: MessageTokens
  readonly #definitions: Definitions

  constructor(
    args: Pick<ProcessInputStepArgs, 'systemMessages'>,
    {
      units,
      summary,
      tokens,
      definitions,
    }: {
      units: readonly Unit[]
      summary: Message | undefined
      tokens: MessageTokens
      definitions: Definitions
    },
  ) {
    this.#args = args
    this.units = units
    this.summary = summary
    this.#tokens = tokens
    this.#definitions = definitions
  }

  get messages(): Message[] {
    const shown = messagesOf(this.#shown)
    return this.summary ? [this.summary, ...shown] : shown
  }

  /** An upper bound of the prompt's tokens, which is cheap to compute. */
  async atMost(): Promise<number> {
    // What tools show to the model is unknown until they are asked.
    if (this.#definitions.views.size > 0) return Number.POSITIVE_INFINITY
    await this.#prepare([])
    let total = this.#fixed
    for (const unit of this.#shown) total += this.#tokens.atMost(contentOf(unit))
    return total
  }

  /** The exact number of tokens of the prompt. */
  async count(): Promise<number> {
    const shown = await this.measure(this.#shown)
    return this.#fixed + shown
  }

  /** The tokens of what is always shown: system messages, tool definitions, the summary, and pinned units. */
  get pinned(): number {
    return this.#shown.reduce((sum, unit) => sum + (unit.isPinned ? this.tokensOf(unit) : 0), this.#fixed)
  }

  /** Counts units, and returns the total. */
  async measure(units: readonly Unit[]): Promise<number> {
    await this.#prepare(units.map(contentOf))
    return units.reduce((sum, unit) => sum + this.tokensOf(unit), 0)
  }

  /** The tokens of a unit that `measure` has counted. */
  tokensOf(unit: Unit): number {
    return this.#tokens.of(contentOf(unit))
  }

  async tokensOfMessage(message: Message | undefined): Promise<number> {
    if (!message) return 0
    await this.#tokens.prepare([message], [])
    return this.#tokens.of(message)
  }

  async tokensOfText(text: string): Promise<number> {
    return this.tokensOfMessage(userMessage(text))
  }

  /**
   * The shown units from `from` on that can be hidden, except the newest ones that together have at most
   * `keep` tokens.
   */
  older(keep: number, from: number = this.start): Unit[] {
    let kept = 0
    let end = this.units.length
    for (let index = this.units.length - 1; index >= this.start; index--) {
      const unit = this.units[index] as Unit
      if (unit.isPinned) continue
      kept += this.tokensOf(unit)
      if (kept > keep) break
      end = index
    }
    return this.units.slice(from, end).filter(({ isPinned }) => !isPinned)
  }

  /** @throws MillraceError `RUN_PROMPT_TOO_LONG` */
  refuse(processorId: string, { total, limit }: { total: number; limit: number }): never {
    throw new MillraceError(
      'RUN_PROMPT_TOO_LONG',
      `'${processorId}': The system messages, tools, user message with its context, and newest step have ${total} tokens; the limit is ${limit}. Use ToolOutputLimit, shorter instructions or input, or a model with a larger context window.`,
    )
  }

  get #shown(): Unit[] {
    return this.units.filter(({ isPinned }, index) => index >= this.start || isPinned)
  }

  get #fixed(): number {
    const { systemMessages } = this.#args
    const summary = this.summary ? this.#tokens.of(this.summary) : 0
    return this.#tokens.ofSystem(systemMessages) + this.#tokens.ofDefinitions(this.#definitions) + summary
  }

  async #prepare(messages: readonly Pick<Message, 'content'>[]): Promise<void> {
    const all = this.summary ? [this.summary, ...messages] : messages
    await this.#tokens.prepare(all, this.#args.systemMessages, this.#definitions)
  }
}

function contentOf({ parts }: Unit): Pick<Message, 'content'> {
  return { content: { parts: parts as Message['content']['parts'] } }
}
