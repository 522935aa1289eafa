import { currentProcess } from './file-system.ts'

interface Drainable {
  drain(): void
}

const waiting = new Set<Drainable>()

/** What is to be written when the process exits by `process.exit`, which waits for nothing. Listens only while needed. */
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
      // The process is going, and nobody is left to hear of it.
    }
  }
}
