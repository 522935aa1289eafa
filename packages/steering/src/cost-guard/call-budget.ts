import type { CounterStore, ProcessorArgs } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { accountOf, waitFor } from '../budget/account.ts'
import { Ledger, type Reservation } from '../budget/ledger.ts'
import type { CostRule, CostUnit } from './cost-limit.ts'

/** What a call may use, or has used. Money is in billionths. */
export type Amounts = Readonly<Record<CostUnit, number>>

/** What was reserved for a call. */
export interface Admission {
  readonly held: readonly (Reservation & { readonly rule: CostRule })[]
}

/** The limit that a call does not fit. */
export interface Refusal {
  readonly rule: CostRule
  readonly left: number
  readonly retryAfterMs?: number
}

export interface CallBudgetOptions {
  /** The name of the counters. */
  readonly name: string
  readonly rules: readonly CostRule[]
  /** Default: the store of the run, else one in memory. */
  readonly store: CounterStore | undefined
  readonly leaseMs: number
  /** Whether calls can be refused. */
  readonly isLimited: boolean
}

type RunArgs = Pick<ProcessorArgs, 'state' | 'requestContext' | 'counters'>

/** All accounts that a call is charged to: those of its run in the run's state, all others in the store. */
export class CallBudget {
  readonly #name: string
  readonly #ofRun: readonly CostRule[]
  readonly #shared: readonly CostRule[]
  readonly #store: CounterStore | undefined
  readonly #own: CounterStore = new InMemoryStore()
  readonly #ledgers = new WeakMap<CounterStore, Ledger>()
  readonly #leaseMs: number
  readonly #isLimited: boolean

  constructor({ name, rules, store, leaseMs, isLimited }: CallBudgetOptions) {
    this.#name = name
    this.#ofRun = rules.filter(({ scope }) => scope === 'run')
    this.#shared = rules.filter(({ scope }) => scope !== 'run')
    this.#store = store
    this.#leaseMs = leaseMs
    this.#isLimited = isLimited
  }

  /** Reserves the amounts in all accounts, or in none. */
  async reserve(amounts: Amounts, args: RunArgs): Promise<Admission | Refusal> {
    const { state, requestContext } = args
    const store = this.#storeOf(args)
    const ledger = this.#ledgerOf(store)
    const spent = spentIn(state)
    for (const rule of this.#ofRun) {
      const left = rule.limit - spent[rule.unit]
      if (this.#isLimited && amounts[rule.unit] > left) return { rule, left: Math.max(0, left) }
    }
    const held: (Reservation & { rule: CostRule })[] = []
    for (const rule of this.#shared) {
      const { scope, ...rest } = rule
      if (scope === 'run') continue
      const account = await accountOf(store, { name: this.#name, scope, ...rest }, requestContext)
      const taken = await ledger.reserve(account, amounts[rule.unit], { isLimited: this.#isLimited })
      if (!('left' in taken)) {
        held.push({ ...taken, rule })
        continue
      }
      await Promise.all(held.map((other) => ledger.settle(other, 0)))
      const retryAfterMs = waitFor(account, { value: taken.value, amount: amounts[rule.unit] })
      return { rule, left: taken.left, ...(retryAfterMs !== undefined && { retryAfterMs }) }
    }
    return { held }
  }

  /** Replaces the reserved amounts by what was used. Returns all rules with what has been used so far. */
  async settle(
    { held }: Admission,
    used: Amounts,
    args: RunArgs,
  ): Promise<{ readonly rule: CostRule; readonly used: number }[]> {
    const ledger = this.#ledgerOf(this.#storeOf(args))
    const spent = spentIn(args.state)
    for (const unit of ['calls', 'tokens', 'money'] as const) spent[unit] += used[unit]
    const shared = await Promise.all(
      held.map(async (part) => ({
        rule: part.rule,
        used: await ledger.settle(part, used[part.rule.unit]),
      })),
    )
    return [...this.#ofRun.map((rule) => ({ rule, used: spent[rule.unit] })), ...shared]
  }

  #storeOf({ counters }: RunArgs): CounterStore {
    return this.#store ?? counters ?? this.#own
  }

  #ledgerOf(store: CounterStore): Ledger {
    let ledger = this.#ledgers.get(store)
    if (!ledger) {
      ledger = new Ledger(store, { leaseMs: this.#leaseMs })
      this.#ledgers.set(store, ledger)
    }
    return ledger
  }
}

/** What a run has used so far. It is JSON in the run's state, so counting continues after a suspension. */
function spentIn(state: Record<string, unknown>): Record<CostUnit, number> {
  state.spent ??= { calls: 0, tokens: 0, money: 0 }
  return state.spent as Record<CostUnit, number>
}
