import { currentProcess } from './file-system.ts'

interface Drainable {
  drain(): void
}

const waiting = new Set<Drainable>()

/**
 * Queues to write when the process exits by `process.exit`, which does not wait for promises. Listens only while there
 * are any.
 */
export const drainAtExit: { add(queue: Drainable): void; delete(queue: Drainable): void } = {
  add(queue) {
    if (waiting.size === 0) currentProcess?.once?.('exit', drainAll)
    waiting.add(queue)
  },
  delete(queue) {
    waiting.delete(queue)
    if (waiting.size === 0) currentProcess?.off?.('exit', drainAll)
  },
}

function drainAll(): void {
  for (const queue of waiting) {
    try {
      queue.drain()
    } catch {
      // The process is exiting: there is no way to report the error.
    }
  }
}
