import { DBOS } from '@dbos-inc/dbos-sdk'
import { type OptionNames, requireCount } from '@millrace/core'

/** Limits of the runs of an agent, across all processes. */
export interface QueueOptions {
  /** Maximum number of concurrent runs. Default: no limit. */
  concurrency?: number
  /**
   * Maximum number of concurrent runs of one resource. Each run without a resource counts separately.
   * Default: no limit.
   */
  perResource?: number
  /** Maximum number of concurrent runs in one process. Default: no limit. */
  perProcess?: number
  /** Maximum number of runs that start in a period. Default: no limit. */
  rateLimit?: { runs: number; periodMs: number }
  /** How often a process polls the queue, in milliseconds. Default: 100. */
  pollMs?: number
}

export const QUEUE_OPTIONS: OptionNames<QueueOptions> = {
  concurrency: 'optional',
  perResource: 'optional',
  perProcess: 'optional',
  rateLimit: { runs: 'required', periodMs: 'required' },
  pollMs: 'optional',
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

/** Registers the queue at launch. The configuration of the newest application version applies. */
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
