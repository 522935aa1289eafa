import { type CounterStore, MillraceError, type RequestContext } from '@millrace/core'

/** Whose use is counted together: that of a thread, of a resource (a user, a tenant), or of everybody. */
export type BudgetScope = 'thread' | 'resource' | 'all'

/** A counter and what it may not exceed. */
export interface Account {
  readonly resourceId: string | undefined
  readonly key: string
  /** What is left for the counter: the limit less what is `carried`. */
  readonly limit: number
  /** What counts of the window before. */
  readonly carried: number
  /** Milliseconds after which the counter is used no more. */
  readonly expiresIn: number | undefined
  readonly window: AccountWindow | undefined
}

interface AccountWindow {
  readonly lengthMs: number
  readonly endsAt: number
  /** What was counted in the window before. */
  readonly before: number
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
 * never gets into the next. Of the window before counts the part that the last `windowMs` reach into, as if its use had
 * been even: so no second limit fits where two windows meet. Runs without the id their scope is about share one account.
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
    // As long as it counts for the window behind it, where a call that began within it may end, too.
    expiresIn: 2 * windowMs,
    window: { lengthMs: windowMs, endsAt, before: before.value },
  }
}

/**
 * Milliseconds until an amount fits, if nothing else is taken; `undefined` for an account without a window.
 *
 * @param options.value What the account's counter stands at
 */
export function waitFor(
  { limit, carried, window }: Account,
  { value, amount }: { value: number; amount: number },
): number | undefined {
  if (!window) return undefined
  const { lengthMs, endsAt, before } = window
  const left = limit + carried - amount
  const untilEnd = Math.max(0, endsAt - Date.now())
  // A half is rounded up: of what is carried less than that must be too much.
  const share = (used: number, room: number): number => Math.max(0, Math.min(1, (room + 0.5) / used))
  if (value <= left && before > 0) {
    return Math.max(0, Math.floor(untilEnd - lengthMs * share(before, left - value)) + 1)
  }
  return untilEnd + (value > 0 ? Math.max(0, Math.floor(lengthMs * (1 - share(value, left))) + 1) : 0)
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
