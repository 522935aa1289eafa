import {
  type Chunk,
  type ControlArgs,
  type CounterStore,
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type Processor,
  requireOptions,
  type WrapModelCallArgs,
} from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import {
  type Account,
  accountOf,
  addTo,
  type BudgetScope,
  requireDistinct,
  requireScope,
  requireWindow,
  waitFor,
} from '../budget/account.ts'
import {
  DEFAULT_RESPONSE,
  type LimitReached,
  type LimitStrategy,
  requireStrategy,
  requireWarnAt,
  stopRun,
} from '../budget/limit-reached.ts'

export interface RateLimitRule {
  /** The maximum in a window. */
  readonly limit: number
  /** The length of the window, in milliseconds. */
  readonly windowMs: number
  /** `'thread'`, `'resource'` or `'all'`. Runs without that id share one count. Default: `'resource'`. */
  readonly scope?: BudgetScope
  /** `'runs'`, counted when they begin, or model `'calls'`, one for each step. Default: `'runs'`. */
  readonly unit?: 'runs' | 'calls'
}

const RATE_LIMIT_RULE: OptionNames<RateLimitRule> = {
  limit: 'required',
  windowMs: 'required',
  scope: 'optional',
  unit: 'optional',
}

export interface RateLimitOptions {
  /**
   * Also the name of the counters: processors with the same `id` that share a store count together. Default:
   * `'rate-limit'`.
   */
  readonly id?: string
  /** The limits. All of them apply. */
  readonly limits: readonly RateLimitRule[]
  /**
   * Where counts are kept. Default: the agent's `storage` or its memory's, if that is persistent, else this instance.
   */
  readonly store?: CounterStore
  /** `'block'`, `'halt'` or `'warn'`. Default: `'block'`. */
  readonly strategy?: LimitStrategy
  /** The answer of a halted run. Default: a sentence. */
  readonly response?: string
  /** The share of a limit from which `onWarning` is called, from 0 to 1. Default: 0.8. */
  readonly warnAt?: number
  /** Called when the count reaches `warnAt`. */
  readonly onWarning?: (event: RateLimitEvent) => void
  /** What happens if the store fails. `'skip'` continues the run without counting. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const RATE_LIMIT_OPTIONS: OptionNames<RateLimitOptions> = {
  id: 'optional',
  limits: ['required', RATE_LIMIT_RULE],
  store: 'optional',
  strategy: 'optional',
  response: 'optional',
  warnAt: 'optional',
  onWarning: 'optional',
  onError: 'optional',
}

export interface RateLimitEvent extends LimitReached {
  readonly processorId: string
  /** The count in the window, including this one. */
  readonly count: number
}

/**
 * Limits how many runs or model calls there are in a time. Exact, also between processes that share a store: in a
 * window, no more than the limit pass, however many come at once. Denied ones do not count.
 */
export class RateLimit implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly processInput?: NonNullable<Processor['processInput']>
  readonly wrapModelCall?: NonNullable<Processor['wrapModelCall']>
  readonly #store: CounterStore | undefined
  readonly #own: CounterStore = new InMemoryStore()
  readonly #strategy: LimitStrategy
  readonly #response: string
  readonly #warnAt: number
  readonly #onWarning: RateLimitOptions['onWarning']

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: RateLimitOptions) {
    const options = requireOptions('RateLimit', given, RATE_LIMIT_OPTIONS)
    const { id = 'rate-limit', limits, strategy = 'block', warnAt = 0.8, onError = 'fail' } = options
    checkRules(limits)
    requireStrategy(strategy)
    requireWarnAt(warnAt)
    this.id = id
    this.onError = onError
    this.#store = options.store
    this.#strategy = strategy
    this.#response = options.response ?? DEFAULT_RESPONSE
    this.#warnAt = warnAt
    this.#onWarning = options.onWarning
    const ofRuns = limits.filter(({ unit = 'runs' }) => unit === 'runs')
    const ofCalls = limits.filter(({ unit }) => unit === 'calls')
    if (ofRuns.length > 0) this.processInput = (args: ProcessInputArgs) => this.#admit(ofRuns, args)
    if (ofCalls.length > 0) this.wrapModelCall = (args) => this.#limited(ofCalls, args)
  }

  async *#limited(
    rules: readonly RateLimitRule[],
    { request, next, ...args }: WrapModelCallArgs,
  ): AsyncGenerator<Chunk> {
    await this.#admit(rules, args)
    yield* next(request)
  }

  /** Counts one in all accounts; if one of them is full, in none, and stops the run. */
  async #admit(rules: readonly RateLimitRule[], args: ControlArgs): Promise<undefined> {
    const store = this.#store ?? args.counters ?? this.#own
    const counted: Account[] = []
    for (const rule of rules) {
      const { scope = 'resource', unit = 'runs', limit, windowMs } = rule
      const account = await accountOf(
        store,
        { name: this.id, scope, unit, limit, windowMs },
        args.requestContext,
      )
      const { value, added } = await addTo(store, account, {
        amount: 1,
        isLimited: this.#strategy !== 'warn',
      })
      const retryAfterMs = waitFor(account, { value, amount: 1 }) ?? 0
      const reached: LimitReached = { scope, unit, limit, retryAfterMs }
      if (added) {
        counted.push(account)
        const count = value + account.carried
        if (count >= this.#warnAt * limit) {
          this.#onWarning?.({ ...reached, processorId: this.id, count })
        }
        continue
      }
      await Promise.all(counted.map((other) => addTo(store, other, { amount: -1, isLimited: false })))
      stopRun(reached, { strategy: this.#strategy as 'block', response: this.#response }, args)
    }
  }
}

function checkRules(limits: readonly RateLimitRule[]): void {
  if (!Array.isArray(limits) || limits.length === 0) {
    throw new MillraceError('CONFIG_INVALID', 'RateLimit has no limits. Pass at least one.')
  }
  requireDistinct(
    limits.map(({ scope = 'resource', unit = 'runs', windowMs }) => `${scope} ${unit} ${windowMs}`),
  )
  for (const { limit, windowMs, scope = 'resource', unit = 'runs' } of limits) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new MillraceError('CONFIG_INVALID', `A limit is ${limit}. Use an integer of at least 1.`)
    }
    if (windowMs === undefined) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'A limit has no windowMs. Set the length of its window in milliseconds.',
      )
    }
    requireWindow(windowMs)
    requireScope(scope, ['thread', 'resource', 'all'])
    if (unit !== 'runs' && unit !== 'calls') {
      throw new MillraceError('CONFIG_INVALID', `unit is '${unit}'. Use 'runs' or 'calls'.`)
    }
  }
}
