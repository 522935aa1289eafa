import { type CounterStore, MillraceError, type RequestContext } from '@millrace/core'

/** Whose use is counted together: that of a thread, of a resource (a user, a tenant), or of all runs. */
export type BudgetScope = 'thread' | 'resource' | 'all'

/** A counter and its limit. */
export interface Account {
  readonly resourceId: string | undefined
  readonly key: string
  /** The limit of the counter: the configured limit minus `carried`. */
  readonly limit: number
  /** The part of the previous window's use that still counts. */
  readonly carried: number
  /** How long the counter is kept, in milliseconds. */
  readonly expiresIn: number | undefined
  readonly window: AccountWindow | undefined
}

interface AccountWindow {
  readonly lengthMs: number
  readonly endsAt: number
  /** The use of the previous window. */
  readonly before: number
}

export interface AccountOptions {
  /** The name of the processor's counters. */
  readonly name: string
  readonly scope: BudgetScope
  /** The name of the counter within its scope. */
  readonly unit: string
  readonly limit: number
  readonly windowMs: number | undefined
}

/**
 * The account that is charged now. Windows follow each other in time, each with a counter of its own, so amounts that
 * are returned late never get into the next window. The previous window counts in proportion to its overlap with the
 * last `windowMs`, as if its use had been even: so the limit cannot be used twice around the boundary of two windows.
 * Runs without the id of their scope share one account.
 */
export async function accountOf(
  store: CounterStore,
  { name, scope, unit, limit, windowMs }: AccountOptions,
  { threadId, resourceId }: Pick<RequestContext, 'threadId' | 'resourceId'>,
): Promise<Account> {
  const owner = scope === 'all' ? undefined : resourceId
  const thread = scope === 'thread' && threadId !== undefined ? `:${await hashOf(threadId)}` : ''
  const key = `${name}:${scope}${thread}:${unit}`
  if (windowMs === undefined) {
    return { resourceId: owner, key, limit, carried: 0, expiresIn: undefined, window: undefined }
  }
  const now = Date.now()
  const number = Math.floor(now / windowMs)
  const before = await store.addToCounter({
    resourceId: owner,
    key: `${key}:${windowMs}:${number - 1}`,
    amount: 0,
    expiresIn: windowMs,
  })
  const endsAt = (number + 1) * windowMs
  const carried = Math.round((before.value * (endsAt - now)) / windowMs)
  return {
    resourceId: owner,
    key: `${key}:${windowMs}:${number}`,
    limit: Math.max(0, limit - carried),
    carried,
    // The counter also counts for the next window, in which a call of this window may still end.
    expiresIn: 2 * windowMs,
    window: { lengthMs: windowMs, endsAt, before: before.value },
  }
}

/**
 * Milliseconds until an amount fits, if nothing else is charged; `undefined` for an account without a window.
 *
 * @param options.value The current value of the account's counter
 */
export function waitFor(
  { limit, carried, window }: Account,
  { value, amount }: { value: number; amount: number },
): number | undefined {
  if (!window) return undefined
  const { lengthMs, endsAt, before } = window
  const left = limit + carried - amount
  const untilEnd = Math.max(0, endsAt - Date.now())
  // `carried` is rounded, so half a unit more fits.
  const share = (used: number, room: number): number => Math.max(0, Math.min(1, (room + 0.5) / used))
  if (value <= left && before > 0) {
    return Math.max(0, Math.floor(untilEnd - lengthMs * share(before, left - value)) + 1)
  }
  return untilEnd + (value > 0 ? Math.max(0, Math.floor(lengthMs * (1 - share(value, left))) + 1) : 0)
}

/** A hash of a thread id: keys have a maximum length. */
async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Adds to an account. `isLimited: false` ignores the limit. */
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
  throw new MillraceError('CONFIG_INVALID', `windowMs is ${windowMs}. Use an integer of at least 1.`)
}

/**
 * Two limits of the same count would count twice.
 *
 * @throws MillraceError `CONFIG_INVALID`
 */
export function requireDistinct(counts: readonly string[]): void {
  const repeated = counts.find((count, index) => counts.indexOf(count) !== index)
  if (repeated === undefined) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `Two limits have the same scope, unit and window (${repeated}). Remove one of them.`,
  )
}
