import { MillraceError, type OptionNames } from '@millrace/core'

export type MaybePromise<T> = T | Promise<T>

/** Options of every adapter. */
export interface AdapterOptions {
  /** Unique within a list. Default: the name of the adapter in kebab case, such as `pre-inference`. */
  id?: string
  /**
   * What happens when the adapted object throws: `fail` fails the run, `skip` continues without it. Default:
   * `fail`.
   */
  onError?: 'fail' | 'skip'
}

export const ADAPTER_OPTIONS: OptionNames<AdapterOptions> = { id: 'optional', onError: 'optional' }

/** The fields of a processor that every adapter sets. */
export function identityOf(
  { id, onError }: AdapterOptions,
  name: string,
): { id: string; onError?: 'fail' | 'skip' } {
  return { id: id ?? name, ...(onError && { onError }) }
}

/**
 * Checks that an object has one of the methods, when the agent is created and not in its first run.
 *
 * @throws MillraceError `CONFIG_INVALID`
 */
export function requireMethod(object: unknown, methods: readonly string[], adapter: string): void {
  if (isObject(object) && methods.some((method) => typeof object[method] === 'function')) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `${adapter}() received an object without the method ${methods.join(' or ')}. Pass an object with the interface that it adapts.`,
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'function' || (typeof value === 'object' && value !== null)
}
