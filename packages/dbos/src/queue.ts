import { DBOS } from '@dbos-inc/dbos-sdk'
import { requireCount } from '@millrace/core'

/** How many runs of an agent work at the same time, on all machines together. */
export interface QueueOptions {
  /** Runs that work at the same time. Default: any number. */
  concurrency?: number
  /** Of them, those of one resource. A run of no resource counts for itself. Default: any number. */
  perResource?: number
  /** Of them, those in one process. Default: any number. */
  perProcess?: number
  /** Runs that begin in a period of time. Default: any number. */
  rateLimit?: { runs: number; periodMs: number }
  /** How often a process looks for runs to begin, in milliseconds. Default: 100. */
  pollMs?: number
}

/** @throws MillraceError `CONFIG_INVALID` */
export function checkQueue({ concurrency, perResource, perProcess, rateLimit, pollMs }: QueueOptions): void {
  const counts = {
    'queue.concurrency': concurrency,
    'queue.perResource': perResource,
    'queue.perProcess': perProcess,
    'queue.rateLimit.runs': rateLimit?.runs,
    'queue.rateLimit.periodMs': rateLimit?.periodMs,
    'queue.pollMs': pollMs,
  }
  for (const [name, value] of Object.entries(counts)) if (value !== undefined) requireCount(name, value, 1)
}

/** Tells DBOS of the queue, when it is launched. The newest version of the application says what holds. */
export async function registerQueue(name: string, options: QueueOptions): Promise<void> {
  const { concurrency, perResource, perProcess, rateLimit, pollMs = 100 } = options
  await DBOS.registerQueue(name, {
    minPollingIntervalMs: pollMs,
    ...(concurrency !== undefined && { globalConcurrency: concurrency }),
    ...(perResource !== undefined && { partitionConcurrency: perResource }),
    ...(perProcess !== undefined && { workerConcurrency: perProcess }),
    ...(rateLimit && {
      rateLimit: { limitPerPeriod: rateLimit.runs, periodSec: rateLimit.periodMs / 1000 },
    }),
  })
}
