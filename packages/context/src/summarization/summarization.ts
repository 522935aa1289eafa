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
  requireOptions,
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
import {
  SUMMARIZATION_OPTIONS,
  type SummarizationEvent,
  type SummarizationOptions,
} from './summarization-options.ts'
import { Summarizer } from './summarizer.ts'
import { summaryIn, summaryMessage } from './summary-message.ts'

/** The state of a run. JSON. */
interface SummaryState {
  /** The id of the message in the transcript that replaces the hidden ones. */
  messageId?: string
  /** The end of the summarized part. */
  summarised?: Position
  /** The end of the part that is left out without a summary. */
  leftOut?: Position
  /** The user messages of this run. They are kept, whatever comes after them. */
  tasks?: string[]
  /** The number of consecutive failed calls, and the first step of the next attempt. */
  failures?: number
  askFrom?: number
  /** The step whose prompt the provider rejected as too long, and whether it still has to shrink. */
  overflow?: { step: number; isOpen: boolean }
  /** The real limit, as far as the rejection shows. */
  limit?: number
}

/** Limits in tokens. */
interface Window {
  /** The maximum size of a prompt. */
  readonly limit: number
  readonly trigger: number
  readonly keep: number
  /** The maximum size of a summary. */
  readonly summary: number
}

/** The number of steps until the next attempt after a failed call, doubled with each failure. */
const FIRST_RETRY_STEPS = 4
const MAX_RETRY_STEPS = 32

/** The maximum number of model calls per step. If the history needs more, the rest is left out. */
const MAX_CALLS = 8

/**
 * If less than this share of the prompt can be summarized, it is not worth a call, as long as the prompt
 * fits.
 */
const MIN_SHARE = 0.1

/** If the provider rejects a prompt as too long, it must shrink to this share of the counted size. */
const OVERFLOW_SHARE = 0.75

/**
 * Keeps the prompts of a run within the context window, however many steps it has. When a prompt reaches the
 * trigger, a model summarizes the older messages and steps, and later prompts contain the summary instead.
 * The transcript and the store keep all messages.
 *
 * System messages, the user message of this turn with its context, and the newest step are never changed.
 * Between two summaries prompts only grow at their end, so that providers can cache the prefix.
 *
 * If the model fails, the prompt stays unchanged, and the next attempt is some steps later. What does not fit
 * until then is left out. A run whose newest step alone does not fit fails with `RUN_PROMPT_TOO_LONG`. If the
 * provider rejects a prompt as too long that was counted as fitting, it is summarized and sent again, once.
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
  constructor(given: SummarizationOptions = {}) {
    const options = requireOptions('Summarization', given, SUMMARIZATION_OPTIONS)
    const { id = 'summarization', onError = 'fail', maxTokens, timeoutMs, instructions } = options
    const { trigger = { fraction: 0.7 }, keep = { fraction: 0.3 } } = options
    this.id = id
    this.onError = onError
    this.#trigger = requireShare('trigger', trigger)
    this.#keep = requireShare('keep', keep)
    this.#maxTokens = maxTokens === undefined ? undefined : requireCount('maxTokens', maxTokens, 1)
    requireTime('timeoutMs', timeoutMs)
    if (instructions !== undefined && (typeof instructions !== 'string' || instructions.trim() === '')) {
      throw new MillraceError('CONFIG_INVALID', 'instructions is empty. Say what the summary must record.')
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
      state.limit = Math.floor(OVERFLOW_SHARE * (await view.count()))
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
        `'${this.id}' has no limit, because the context window is unknown. Set contextWindow of the agent, or trigger: { tokens: … }.`,
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
   * A quick check whether the prompt is small and has no summary yet: avoids counting new messages and
   * splitting the prompt in most steps.
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
    this.#recordTask(messages, messageList, state)
    let total = tokens.ofSystem(systemMessages) + tokens.ofDefinitions(definitions)
    for (const message of messages) total += tokens.atMost(message)
    return total <= trigger
  }

  /** The units of a prompt, without the summary. User messages of this run are pinned. */
  #unitsOf(messages: readonly Message[], messageList: MessageList, state: SummaryState): Unit[] {
    const others = messages.filter(({ id }) => id !== state.messageId)
    this.#recordTask(others, messageList, state)
    return unitsOf(others, messageList, state.tasks)
  }

  #recordTask(messages: readonly Message[], messageList: MessageList, state: SummaryState): void {
    const task = messages[newestTurn(messages, messageList)]
    state.tasks ??= []
    if (task?.role === 'user' && !state.tasks.includes(task.id)) state.tasks.push(task.id)
  }

  /**
   * Shrinks the prompt: by a summary, or, if there is none, by leaving out what does not fit. Returns the
   * remaining tokens.
   */
  async #compact(view: PromptView, total: number, step: CompactedStep): Promise<number> {
    const { args, state, window } = step
    const { trigger, limit, summary } = window
    const keep = Math.max(0, Math.min(window.keep, trigger - summary - view.pinned))
    const shown = view.older(keep)
    const isNeeded = total > limit
    const older = view.older(keep, unitIndexOf(view.units, state.summarised))
    if (older.length === 0) return total
    if (!isNeeded && (await view.measure(shown)) < MIN_SHARE * Math.min(limit, trigger)) return total
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

  /** Summarizes units, in batches that fit into one call. Finished batches are kept if a later one fails. */
  async #summarise(view: PromptView, units: readonly Unit[], step: CompactedStep): Promise<void> {
    const { args, window } = step
    const model = this.#summarizer.modelFor(args.model)
    const own = promptLimit(modelLimits(model, { contextWindow: undefined, modelSettings: {} }))
    const limit = Math.floor((own ?? window.limit) / 2)
    await view.measure(units)
    for (const part of splitIntoBatches(units, limit, view).slice(0, MAX_CALLS)) {
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
        { model, maxTokens: window.summary, limit: materialLimit, tokens, args },
      )
      usage = answer.usage
      const summaryTokens = await view.tokensOfText(answer.text)
      if (summaryTokens >= given) {
        throw new MillraceError(
          'MODEL_OUTPUT_INVALID',
          `The summary has ${summaryTokens} tokens, the summarized text only ${given}.`,
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
      state.askFrom = args.stepNumber + Math.min(MAX_RETRY_STEPS, FIRST_RETRY_STEPS * 2 ** (failures - 1))
      this.#report(step, { ...report, status: 'failed', error, ...(usage && { usage }) })
      return false
    }
  }

  /** Adds the message that replaces the hidden units to the transcript and to the view. */
  #show(view: PromptView, summary: string, { args: { messageList }, state }: CompactedStep): void {
    view.start = startOf(view.units, state)
    const from = unitIndexOf(view.units, state.summarised)
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

/** The number of units before the first shown one, pinned ones aside. */
function startOf(units: readonly Unit[], { summarised, leftOut }: SummaryState): number {
  return Math.max(unitIndexOf(units, summarised), unitIndexOf(units, leftOut))
}

function unitIndexOf(units: readonly Unit[], position: Position | undefined): number {
  return position === undefined ? 0 : (unitsBefore(units, position) ?? 0)
}

/** Splits units into batches of at most `limit` tokens, or of one unit. */
function splitIntoBatches(units: readonly Unit[], limit: number, view: PromptView): Unit[][] {
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
