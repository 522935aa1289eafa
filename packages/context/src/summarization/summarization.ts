import {
  isContextOverflow,
  type LanguageModel,
  type Message,
  type MessageList,
  MillraceError,
  modelLimits,
  newestTurn,
  type ProcessInputStepArgs,
  type ProcessModelErrorArgs,
  type ProcessModelErrorResult,
  type Processor,
  promptLimit,
  requireCount,
  requireTime,
  type WarmUpArgs,
} from '@millrace/core'
import type { Definitions, MessageTokens } from '@millrace/tokens'
import { fitText } from '../content/fit-text.ts'
import { StepDefinitions } from '../window/step-definitions.ts'
import { TokenCounters } from '../window/token-counters.ts'
import { requireShare, type TokenShare, tokensOfShare } from '../window/token-share.ts'
import { messagesOf, type Position, positionAfter, type Unit, unitsBefore, unitsOf } from '../window/units.ts'
import { PromptView } from './prompt-view.ts'
import type { SummarizationEvent, SummarizationOptions } from './summarization-options.ts'
import { Summarizer } from './summarizer.ts'
import { summaryIn, summaryMessage } from './summary-message.ts'

/** What is known of a run. It is JSON. */
interface SummaryState {
  /** The message that stands for what is not shown, in the transcript. */
  messageId?: string
  /** What is summarised ends here. */
  summarised?: Position
  /** What is left out without a summary ends here. */
  leftOut?: Position
  /** User messages that were this turn's: they stay, whatever comes after them. */
  tasks?: string[]
  /** Calls of the model that have failed one after the other, and the first step in which it is asked again. */
  failures?: number
  askFrom?: number
  /** The step whose prompt was too long for the provider, and whether it has to become shorter still. */
  overflow?: { step: number; isOpen: boolean }
  /** What the limit has turned out to be by that. */
  limit?: number
}

/** In tokens. */
interface Window {
  /** Most of a prompt. */
  readonly limit: number
  readonly trigger: number
  readonly keep: number
  /** Most of a summary. */
  readonly summary: number
}

/** A model that has failed is not asked again for this many steps, doubled with each failure. */
const FIRST_PAUSE = 4
const LONGEST_PAUSE = 32

/** Calls of the model in one step: of a history that takes more, the rest is left out. */
const MOST_CALLS = 8

/** Less than this part of a prompt is not worth a call, as long as the prompt fits. */
const LEAST_SHARE = 0.1

/** A prompt that the provider found too long has to shrink to this part of what was counted. */
const AFTER_OVERFLOW = 0.75

/**
 * Keeps the prompts of a run within the context window, however many steps it has: when a prompt has reached the trigger, a
 * model summarises the older messages and steps, and the summary stands for them from then on. The transcript, and what is
 * stored, keep everything.
 *
 * System messages, this turn's user message with its context, and the newest step always stay as they are. Between two
 * summaries prompts only grow at their end, so that providers can cache what comes before.
 *
 * A model that fails leaves the prompt as it is; it is asked again some steps later. What no longer fits until then is left
 * out. A run whose newest step alone does not fit fails with `RUN_PROMPT_TOO_LONG`. Where the provider finds a prompt too long
 * that was counted as fitting, it is summarised once, and sent again once.
 */
export class Summarization implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #trigger: TokenShare
  readonly #keep: TokenShare
  readonly #maxTokens: number | undefined
  readonly #onSummary: ((event: SummarizationEvent) => void) | undefined
  readonly #counters: TokenCounters
  readonly #definitions = new StepDefinitions()
  readonly #summarizer: Summarizer

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: SummarizationOptions = {}) {
    const { id = 'summarization', onError = 'fail', maxTokens, timeoutMs, instructions } = options
    const { trigger = { fraction: 0.7 }, keep = { fraction: 0.3 } } = options
    this.id = id
    this.onError = onError
    this.#trigger = requireShare('trigger', trigger)
    this.#keep = requireShare('keep', keep)
    this.#maxTokens = maxTokens === undefined ? undefined : requireCount('maxTokens', maxTokens, 1)
    requireTime('timeoutMs', timeoutMs)
    if (instructions !== undefined && (typeof instructions !== 'string' || instructions.trim() === '')) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'instructions are empty. Say what to record, or leave them out.',
      )
    }
    this.#onSummary = options.onSummary
    this.#counters = new TokenCounters(options.countTokens)
    this.#summarizer = new Summarizer(options)
  }

  /** Loads the table of tokens. */
  warmUp({ model }: WarmUpArgs): Promise<void> {
    return this.#counters.warmUp(model)
  }

  async processInputStep(args: ProcessInputStepArgs): Promise<Message[] | undefined> {
    const state = args.state as SummaryState
    const tokens = await this.#counters.for(args.model)
    const definitions = await this.#definitions.of(args)
    await tokens.prepare([], args.systemMessages, definitions)
    if (this.#isFarFromFull({ args, state, tokens, definitions })) return undefined

    const { messages, messageList } = args
    const view = new PromptView(args, {
      units: this.#unitsOf(messages, messageList, state),
      summary: state.messageId === undefined ? undefined : messageList.find(state.messageId),
      tokens,
      definitions,
    })
    view.start = startOf(view.units, state)
    if (state.overflow?.isOpen) {
      state.limit = Math.floor(AFTER_OVERFLOW * (await view.count()))
      state.overflow.isOpen = false
    }
    const window = this.#windowOf(args, state)
    let total = await view.atMost()
    if (total > window.trigger) {
      total = await view.count()
      if (total > window.trigger) total = await this.#compact(view, total, { args, state, window, tokens })
      if (total > window.limit) view.refuse(this.id, { total, limit: window.limit })
    }
    return view.summary || view.start > 0 ? view.messages : undefined
  }

  processModelError(args: ProcessModelErrorArgs): ProcessModelErrorResult {
    const { error, stepNumber, messageList } = args
    const state = args.state as SummaryState
    if (state.overflow?.step === stepNumber || !isContextOverflow(error)) return undefined
    const units = this.#unitsOf(messageList.get(), messageList, state)
    const start = startOf(units, state)
    if (!units.some(({ isPinned }, index) => index >= start && !isPinned)) return undefined
    state.overflow = { step: stepNumber, isOpen: true }
    delete state.askFrom
    return { retry: true, prepare: true }
  }

  #windowOf(args: ProcessInputStepArgs, { limit: shown = Number.POSITIVE_INFINITY }: SummaryState): Window {
    const known = Math.min(promptLimit(args) ?? Number.POSITIVE_INFINITY, shown)
    const limit = Number.isFinite(known) ? known : undefined
    const wanted = tokensOfShare(this.#trigger, limit)
    if (wanted === undefined) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `'${this.id}' does not know how long a prompt may be. Give the agent the contextWindow of its model, or pass trigger: { tokens: … }.`,
      )
    }
    const trigger = Math.min(wanted, known)
    return {
      limit: known,
      trigger,
      keep: tokensOfShare(this.#keep, limit ?? trigger) ?? 0,
      summary: Math.min(this.#maxTokens ?? 4_000, Math.floor(trigger / 4)),
    }
  }

  /**
   * Whether nothing is summarised yet, and nothing has to be: known for most steps without counting what is new, and without
   * dividing the prompt.
   */
  #isFarFromFull({
    args,
    state,
    tokens,
    definitions,
  }: Pick<CompactedStep, 'args' | 'state' | 'tokens'> & { definitions: Definitions }): boolean {
    const { trigger } = this.#windowOf(args, state)
    if (state.messageId !== undefined || state.overflow?.isOpen || definitions.views.size > 0) return false
    const { messages, messageList, systemMessages } = args
    this.#noteTask(messages, messageList, state)
    let total = tokens.ofSystem(systemMessages) + tokens.ofDefinitions(definitions)
    for (const message of messages) total += tokens.atMost(message)
    return total <= trigger
  }

  /** The units of a prompt, without the summary. User messages that were this turn's are pinned. */
  #unitsOf(messages: readonly Message[], messageList: MessageList, state: SummaryState): Unit[] {
    const others = messages.filter(({ id }) => id !== state.messageId)
    this.#noteTask(others, messageList, state)
    return unitsOf(others, messageList, state.tasks)
  }

  #noteTask(messages: readonly Message[], messageList: MessageList, state: SummaryState): void {
    const task = messages[newestTurn(messages, messageList)]
    state.tasks ??= []
    if (task?.role === 'user' && !state.tasks.includes(task.id)) state.tasks.push(task.id)
  }

  /** Makes room: by a summary, or, where there is none to be had, by leaving out what no longer fits. Returns what is left. */
  async #compact(view: PromptView, total: number, step: CompactedStep): Promise<number> {
    const { args, state, window } = step
    const { trigger, limit, summary } = window
    const keep = Math.max(0, Math.min(window.keep, trigger - summary - view.pinned))
    const shown = view.older(keep)
    const isNeeded = total > limit
    const older = view.older(keep, placeOf(view.units, state.summarised))
    if (older.length === 0) return total
    if (!isNeeded && (await view.measure(shown)) < LEAST_SHARE * Math.min(limit, trigger)) return total
    if (args.stepNumber >= (state.askFrom ?? 0)) await this.#summarise(view, older, step)
    const after = await view.count()
    if (after <= limit) return after
    const rest = view.older(keep)
    const last = rest.at(-1)
    if (!last) return after
    state.leftOut = positionAfter(last)
    this.#show(view, summaryIn(view.summary), step)
    this.#report(step, { status: 'left-out', units: rest.length, tokensBefore: after })
    return view.count()
  }

  /** Summarises units, in parts that the model takes at once. What is done counts, also if a later part fails. */
  async #summarise(view: PromptView, units: readonly Unit[], step: CompactedStep): Promise<void> {
    const { args, window } = step
    const model = this.#summarizer.modelFor(args.model)
    const own = promptLimit(modelLimits(model, { contextWindow: undefined, modelSettings: {} }))
    const limit = Math.floor((own ?? window.limit) / 2)
    await view.measure(units)
    for (const part of inParts(units, limit, view).slice(0, MOST_CALLS)) {
      if (!(await this.#summarisePart(view, part, { ...step, model, materialLimit: 1.5 * limit }))) return
    }
  }

  async #summarisePart(
    view: PromptView,
    units: readonly Unit[],
    step: CompactedStep & { model: LanguageModel; materialLimit: number },
  ): Promise<boolean> {
    const { args, state, window, tokens, model, materialLimit } = step
    const known = summaryIn(view.summary)
    const given = (await view.measure(units)) + (await view.tokensOfMessage(view.summary))
    const report = { units: units.length, tokensBefore: given }
    let usage: SummarizationEvent['usage']
    try {
      const answer = await this.#summarizer.summarise(
        { summary: known, messages: messagesOf(units) },
        { model, maxTokens: window.summary, limit: materialLimit, tokens, asking: args },
      )
      usage = answer.usage
      const said = await view.tokensOfText(answer.text)
      if (said >= given) {
        throw new MillraceError(
          'MODEL_OUTPUT_INVALID',
          `The summary has ${said} tokens, and what was to be summarised has ${given}.`,
        )
      }
      const text = await fitText(answer.text, window.summary, (cut) => view.tokensOfText(cut))
      state.summarised = positionAfter(units.at(-1) as Unit)
      this.#show(view, text, step)
      delete state.failures
      delete state.askFrom
      const tokensAfter = await view.tokensOfMessage(view.summary)
      this.#report(step, { ...report, status: 'summarised', tokensAfter, usage })
      return true
    } catch (error) {
      args.abortSignal.throwIfAborted()
      const failures = (state.failures ?? 0) + 1
      state.failures = failures
      state.askFrom = args.stepNumber + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1))
      this.#report(step, { ...report, status: 'failed', error, ...(usage && { usage }) })
      return false
    }
  }

  /** Puts what stands for the units that are not shown into the transcript, and into the view. */
  #show(view: PromptView, summary: string, { args: { messageList }, state }: CompactedStep): void {
    view.start = startOf(view.units, state)
    const from = placeOf(view.units, state.summarised)
    const leftOut = view.units.slice(from, view.start).filter(({ isPinned }) => !isPinned).length
    state.messageId ??= `${this.id}:${crypto.randomUUID()}`
    view.summary = summaryMessage(state.messageId, { summary, leftOut })
    if (messageList.has(state.messageId)) messageList.replace(view.summary)
    else messageList.add(view.summary, 'context')
  }

  #report(
    { args: { stepNumber } }: CompactedStep,
    event: Omit<SummarizationEvent, 'processorId' | 'stepNumber'>,
  ): void {
    this.#onSummary?.({ processorId: this.id, stepNumber, ...event })
  }
}

interface CompactedStep {
  readonly args: ProcessInputStepArgs
  readonly state: SummaryState
  readonly window: Window
  readonly tokens: MessageTokens
}

/** How many units come before the first that is shown, but for those that are pinned. */
function startOf(units: readonly Unit[], { summarised, leftOut }: SummaryState): number {
  return Math.max(placeOf(units, summarised), placeOf(units, leftOut))
}

function placeOf(units: readonly Unit[], position: Position | undefined): number {
  return position === undefined ? 0 : (unitsBefore(units, position) ?? 0)
}

/** Units in order, in parts of at most `limit` tokens, or of one unit. */
function inParts(units: readonly Unit[], limit: number, view: PromptView): Unit[][] {
  const parts: Unit[][] = []
  let left = 0
  for (const unit of units) {
    const size = view.tokensOf(unit)
    left -= size
    if (left >= 0) parts.at(-1)?.push(unit)
    else {
      parts.push([unit])
      left = limit - size
    }
  }
  return parts
}
