import { MillraceError } from '@millrace/core'

export type MaybePromise<T> = T | Promise<T>

/** What every adapter takes besides the object it adapts. */
export interface AdapterOptions {
  /** Unique within a list. Default: the adapter's name in kebab case, such as `pre-inference`. */
  id?: string
  /** What happens when the adapted object throws: the run fails, or continues without it. Default: `fail`. */
  onError?: 'fail' | 'skip'
}

/** The parts of a processor that do not depend on what is adapted. */
export function identityOf(
  { id, onError }: AdapterOptions,
  name: string,
): { id: string; onError?: 'fail' | 'skip' } {
  return { id: id ?? name, ...(onError && { onError }) }
}

/**
 * Refuses an object that is not what the adapter is for, when the agent is built and not in its first run.
 *
 * @throws MillraceError `CONFIG_INVALID`
 */
export function requireMethod(object: unknown, methods: readonly string[], adapter: string): void {
  if (isObject(object) && methods.some((method) => typeof object[method] === 'function')) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `${adapter}() got something without a method ${methods.join(' or ')}. Pass an object of the interface it adapts.`,
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'function' || (typeof value === 'object' && value !== null)
}
