import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Does something as if no workflow were under way: what is read there is not recorded as a step of the workflow that asks for
 * it, and what is started is no part of its step.
 */
export const outside: <T>(work: () => T) => T = AsyncLocalStorage.snapshot()
