import { type CounterStore, MillraceError, type RequestContext } from '@millrace/core'

/** Whose use is counted together: that of a thread, of a resource (a user, a tenant), or of everybody. */
export type BudgetScope = 'thread' | 'resource' | 'all'

/** A counter and what it may not exceed. */
export interface Account {
  readonly resourceId: string | undefined
  readonly key: string
  readonly limit: number
  /** Milliseconds after which the counter is used no more. */
  readonly expiresIn: number | undefined
  /** When its window ends. */
  readonly endsAt: number | undefined
}

export interface AccountOptions {
  /** Names the counters of one processor. */
  readonly name: string
  readonly scope: BudgetScope
  /** Names the counter among those of its scope. */
  readonly unit: string
  readonly limit: number
  readonly windowMs: number | undefined
}

/**
 * The account that counts now. Windows lie side by side in time, each with a counter of its own: what is given back late
 * never gets into the next. Runs without the id their scope is about share one account.
 */
export async function accountOf(
  { name, scope, unit, limit, windowMs }: AccountOptions,
  { threadId, resourceId }: Pick<RequestContext, 'threadId' | 'resourceId'>,
  now: number = Date.now(),
): Promise<Account> {
  const owner = scope === 'all' ? undefined : resourceId
  const thread = scope === 'thread' && threadId !== undefined ? `:${await hashOf(threadId)}` : ''
  const window = windowMs === undefined ? undefined : Math.floor(now / windowMs)
  const inWindow = windowMs === undefined ? '' : `:${windowMs}:${window}`
  return {
    resourceId: owner,
    key: `${name}:${scope}${thread}:${unit}${inWindow}`,
    limit,
    // Longer than the window: the call that began within it may end behind it.
    expiresIn: windowMs === undefined ? undefined : 2 * windowMs,
    endsAt: windowMs === undefined || window === undefined ? undefined : (window + 1) * windowMs,
  }
}

/** A thread's id in a fixed length: keys have a longest. */
async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Adds to an account. `isLimited: false` adds whatever the limit. */
export function addTo(
  store: CounterStore,
  { resourceId, key, limit, expiresIn }: Account,
  { amount, isLimited }: { amount: number; isLimited: boolean },
): ReturnType<CounterStore['addToCounter']> {
  return store.addToCounter({ resourceId, key, amount, expiresIn, ...(isLimited && { limit }) })
}

/** @throws MillraceError `CONFIG_INVALID` */
export function requireScope(scope: unknown, scopes: readonly string[]): void {
  if (scopes.includes(scope as string)) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `The scope of a limit is '${String(scope)}'. Use one of ${scopes.join(', ')}.`,
  )
}

/** @throws MillraceError `CONFIG_INVALID` */
export function requireWindow(windowMs: number | undefined): void {
  if (windowMs === undefined || (Number.isSafeInteger(windowMs) && windowMs > 0)) return
  throw new MillraceError('CONFIG_INVALID', `windowMs is ${windowMs}. Use whole milliseconds above 0.`)
}

/**
 * Two limits of one count would count twice.
 *
 * @throws MillraceError `CONFIG_INVALID`
 */
export function requireDistinct(counts: readonly string[]): void {
  const repeated = counts.find((count, index) => counts.indexOf(count) !== index)
  if (repeated === undefined) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `Two limits are about the same count (${repeated}). Keep one of them.`,
  )
}
