import {
  type Chunk,
  type CounterStore,
  MillraceError,
  type ModelRequest,
  type OptionNames,
  type Processor,
  type ProcessorArgs,
  requireOptions,
  type WrapModelCallArgs,
} from '@millrace/core'
import {
  DEFAULT_RESPONSE,
  type LimitReached,
  type LimitStrategy,
  requireStrategy,
  requireWarnAt,
  stopRun,
} from '../budget/limit-reached.ts'
import { type Admission, type Amounts, CallBudget, type Refusal } from './call-budget.ts'
import { CallMeter } from './call-meter.ts'
import {
  COST_LIMIT,
  type CostLimit,
  type CostRule,
  type CostUnit,
  costRules,
  inOptionUnit,
} from './cost-limit.ts'
import {
  affordableOutput,
  costOf,
  identityOf,
  maximumCost,
  NANO,
  PRICE,
  type Prices,
  type TokenPrice,
  tokenPriceOf,
} from './price.ts'
import { requestTokens } from './request-tokens.ts'

export interface CostGuardOptions {
  /**
   * Also the name of the counters: guards with the same `id` that share a store count together. Default:
   * `'cost-guard'`.
   */
  readonly id?: string
  /** The limits. All of them apply. */
  readonly limits: readonly CostLimit[]
  /** Prices by model id, with or without the provider's name, or a function. Required for limits of money. */
  readonly prices?: Prices
  /** Where counts are kept. Default: the agent's storage or its memory's, if that is persistent, else this instance. */
  readonly store?: CounterStore
  /** The maximum number of tokens of an answer, if the call does not set it. Default: 4,096. */
  readonly maxOutputTokens?: number
  /** A call that cannot get this many output tokens is not made. Default: 256. */
  readonly minOutputTokens?: number
  /**
   * A function that returns the input tokens of a request, at least as many as the provider counts. Default:
   * `requestTokens`.
   */
  readonly inputTokens?: (request: ModelRequest) => number | Promise<number>
  /** `'block'`, `'halt'` or `'warn'`. Default: `'block'`. */
  readonly strategy?: LimitStrategy
  /** The answer of a halted run. Default: a sentence. */
  readonly response?: string
  /** The share of a limit from which `onWarning` is called, from 0 to 1. Default: 0.8. */
  readonly warnAt?: number
  /** Called when the use of a limit reaches `warnAt`. */
  readonly onWarning?: (event: CostGuardWarningEvent) => void
  /** Called after every model call, with its use. */
  readonly onSpend?: (event: CostGuardEvent) => void
  /**
   * The maximum duration of a call, in milliseconds. After it, reservations of a process that died are released.
   * Default: 900,000 (15 minutes).
   */
  readonly leaseMs?: number
  /** What happens if the store fails. `'skip'` continues the run without counting. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const COST_GUARD_OPTIONS: OptionNames<CostGuardOptions> = {
  id: 'optional',
  limits: ['required', COST_LIMIT],
  prices: { '*': PRICE },
  store: 'optional',
  maxOutputTokens: 'optional',
  minOutputTokens: 'optional',
  inputTokens: 'optional',
  strategy: 'optional',
  response: 'optional',
  warnAt: 'optional',
  onWarning: 'optional',
  onSpend: 'optional',
  leaseMs: 'optional',
  onError: 'optional',
}

export interface CostGuardWarningEvent extends LimitReached {
  readonly processorId: string
  readonly unit: CostUnit
  /** Used so far, including reservations of other calls. Money is in the currency of the prices. */
  readonly used: number
}

export interface CostGuardEvent {
  readonly processorId: string
  readonly modelId: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** In the currency of the prices; undefined without prices. */
  readonly money: number | undefined
  /** Whether it is estimated from the chunks, because the provider reported no usage or the call was interrupted. */
  readonly isEstimated: boolean
}

/**
 * Limits the use of runs: money, tokens and model calls. The maximum of a call is reserved before it is made, and what
 * it has not used is returned when it ends, in whatever way: no limit is exceeded, also by many runs at once and in
 * several processes that share a store. If less is left, the answer is limited to that. A denied call uses nothing.
 *
 * List it last among processors with `wrapModelCall`, after a cache and a fallback, so that it sees every call that is
 * made.
 */
export class CostGuard implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #options: CostGuardOptions
  readonly #budget: CallBudget
  readonly #strategy: LimitStrategy
  readonly #maxOutput: number
  readonly #minOutput: number
  readonly #warnAt: number

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: CostGuardOptions) {
    const options = requireOptions('CostGuard', given, COST_GUARD_OPTIONS)
    const { id = 'cost-guard', limits, prices, strategy = 'block', onError = 'fail', warnAt = 0.8 } = options
    const { maxOutputTokens = 4_096, minOutputTokens = 256, leaseMs = 900_000 } = options
    const rules = costRules(limits)
    if (prices === undefined && rules.some(({ unit }) => unit === 'money')) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'limits has a limit of money, but there are no prices. Pass prices.',
      )
    }
    requireStrategy(strategy)
    requireWarnAt(warnAt)
    for (const [name, value] of Object.entries({ maxOutputTokens, minOutputTokens, leaseMs })) {
      if (Number.isSafeInteger(value) && value > 0) continue
      throw new MillraceError('CONFIG_INVALID', `${name} is ${value}. Use an integer of at least 1.`)
    }
    this.id = id
    this.onError = onError
    this.#options = options
    this.#budget = new CallBudget({
      name: id,
      rules,
      store: options.store,
      leaseMs,
      isLimited: strategy !== 'warn',
    })
    this.#strategy = strategy
    this.#maxOutput = maxOutputTokens
    this.#minOutput = minOutputTokens
    this.#warnAt = warnAt
  }

  async *wrapModelCall({ request, next, ...args }: WrapModelCallArgs): AsyncGenerator<Chunk> {
    const { prices, inputTokens = requestTokens } = this.#options
    const price = prices && tokenPriceOf(request.model, prices)
    const input = await inputTokens(request)
    const wanted = request.modelSettings.maxOutputTokens ?? this.#maxOutput
    const admission = await this.#admit({ input, wanted, price }, args)
    if ('left' in admission) return this.#stop(admission, args)
    const { maxOutputTokens } = admission
    const meter = new CallMeter()
    try {
      args.abortSignal.throwIfAborted()
      const limited = { ...request, modelSettings: { ...request.modelSettings, maxOutputTokens } }
      for await (const chunk of next(this.#strategy === 'warn' ? request : limited)) {
        meter.read(chunk)
        yield chunk
      }
    } finally {
      const settled = this.#settle(admission, { meter, input, price, request }, args)
      // The end of an aborted call is not awaited.
      args.waitUntil(settled)
      await (this.onError === 'skip' ? settled.catch(() => {}) : settled)
    }
  }

  /** Reserves the maximum of a call; if less is left, as much output as that allows. */
  async #admit(
    { input, price, wanted }: Call & { wanted: number },
    args: ProcessorArgs,
  ): Promise<(Admission & { maxOutputTokens: number }) | Refusal> {
    let output = wanted
    for (;;) {
      const money = price ? maximumCost(price, { input, output }) : 0
      const taken = await this.#budget.reserve({ calls: 1, tokens: input + output, money }, args)
      if (!('left' in taken)) return { ...taken, maxOutputTokens: output }
      const affordable = outputFor(taken, { input, price })
      if (affordable < Math.min(this.#minOutput, wanted)) return taken
      // Less in every round, also if other calls take what was left in the meantime.
      output = Math.min(affordable, output - 1)
    }
  }

  async #settle(
    admission: Admission,
    { meter, input, price, request }: Call & { meter: CallMeter; request: ModelRequest },
    args: ProcessorArgs,
  ): Promise<void> {
    const { modelId } = identityOf(request.model)
    const use = await meter.use({ input, modelId })
    const used: Amounts = {
      calls: use.isMade ? 1 : 0,
      tokens: use.input + use.output,
      money: price ? costOf(price, use) : 0,
    }
    const settled = await this.#budget.settle(admission, used, args)
    if (!use.isMade) return
    this.#options.onSpend?.({
      processorId: this.id,
      modelId,
      inputTokens: use.input,
      outputTokens: use.output,
      money: price && used.money / NANO,
      isEstimated: use.isEstimated,
    })
    for (const { rule, used } of settled) this.#warn(rule, used)
  }

  #warn(rule: CostRule, used: number): void {
    if (used < this.#warnAt * rule.limit) return
    const { scope, unit, limit } = rule
    this.#options.onWarning?.({
      processorId: this.id,
      scope,
      unit,
      limit: inOptionUnit(unit, limit),
      used: inOptionUnit(unit, used),
    })
  }

  #stop({ rule, retryAfterMs }: Refusal, args: Pick<WrapModelCallArgs, 'abort' | 'halt'>): never {
    const { scope, unit, limit } = rule
    const reached: LimitReached = {
      scope,
      unit,
      limit: inOptionUnit(unit, limit),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }
    const { response = DEFAULT_RESPONSE } = this.#options
    return stopRun(reached, { strategy: this.#strategy as 'block', response }, args)
  }
}

/** The estimate of a call before it is made. */
interface Call {
  readonly input: number
  readonly price: TokenPrice | undefined
}

/** How much output fits in what is left. */
function outputFor({ rule, left }: Refusal, { input, price }: Call): number {
  if (rule.unit === 'calls') return 0
  if (rule.unit === 'tokens' || !price) return left - input
  return affordableOutput(price, { input, left })
}
