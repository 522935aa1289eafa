import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Runs a function outside of the current workflow: reads are not recorded as steps of the workflow, and
 * workflows that it starts are not its children.
 */
export const outsideWorkflow: <T>(work: () => T) => T = AsyncLocalStorage.snapshot()
