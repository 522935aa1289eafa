import { type ControlArgs, MillraceError } from '@millrace/core'

/** What happens when a limit is reached: a tripwire, an answer in place of the model's, or only a report. */
export type LimitStrategy = 'block' | 'halt' | 'warn'

/** The limit that stopped a run. */
export interface LimitReached {
  readonly scope: string
  readonly unit: string
  readonly limit: number
  /** Milliseconds until the window has room again; undefined for a limit without a window. */
  readonly retryAfterMs?: number
}

/** Stops the run as the strategy says. The metadata has the limit, and how long to wait. */
export function stopRun(
  reached: LimitReached,
  { strategy, response }: { strategy: Exclude<LimitStrategy, 'warn'>; response: string },
  { abort, halt }: Pick<ControlArgs, 'abort' | 'halt'>,
): never {
  const { scope, unit, limit } = reached
  const amount = unit === 'money' ? `${limit} in money` : `${limit} ${unit}`
  const reason = `The limit of ${amount} for ${SCOPE_NAMES[scope] ?? scope} is reached.`
  if (strategy === 'halt') return halt(response, { reason, metadata: reached })
  return abort(reason, { metadata: reached })
}

const SCOPE_NAMES: Record<string, string> = {
  run: 'a run',
  thread: 'this thread',
  resource: 'this user',
  all: 'all users',
}

export const DEFAULT_RESPONSE = 'The limit for now is reached. Please try again later.'

/** @throws MillraceError `CONFIG_INVALID` */
export function requireStrategy(strategy: unknown): void {
  if (strategy === 'block' || strategy === 'halt' || strategy === 'warn') return
  throw new MillraceError(
    'CONFIG_INVALID',
    `strategy is '${String(strategy)}'. Use 'block', 'halt' or 'warn'.`,
  )
}

/** @throws MillraceError `CONFIG_INVALID` */
export function requireWarnAt(warnAt: number): void {
  if (warnAt > 0 && warnAt <= 1) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `warnAt is ${warnAt}. Use a share of the limit above 0 and up to 1, such as 0.8.`,
  )
}
