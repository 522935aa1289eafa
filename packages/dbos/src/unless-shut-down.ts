import { DBOS } from '@dbos-inc/dbos-sdk'

/**
 * Settles as `work`, unless it fails while DBOS shuts down in this process: then it never settles. DBOS fails the
 * operations of the workflows it shuts down, and records such a failure while its connections are open. A workflow
 * that does not end stays pending, and another process continues it.
 */
export async function unlessShutDown<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (DBOS.isInitialized()) throw error
    return new Promise(() => {})
  }
}
