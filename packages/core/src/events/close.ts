import { MillraceError } from '../errors.ts'
import { requireOptions } from '../option-names.ts'
import type { WorkSource } from '../processors/gate.ts'
import type { Listeners } from '../results/agent-events.ts'
import { deliveryTo } from './delivery.ts'

export interface CloseOptions {
  /** Maximum time to wait, in milliseconds; `Infinity` for no limit. Default: 10,000. */
  timeoutMs?: number
}

/** The maximum delay of a timer. */
const MAX_TIMER_DELAY = 2 ** 31 - 1

/**
 * Waits for all background work and listeners of one agent.
 *
 * @throws MillraceError `RUN_BACKGROUND_TIMEOUT`
 */
export async function settle(
  background: ReadonlyMap<Promise<unknown>, WorkSource>,
  listeners: Listeners,
  options: CloseOptions,
): Promise<void> {
  const { timeoutMs = 10_000 } = requireOptions('agent.close()', options, { timeoutMs: 'optional' })
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `timeoutMs is ${String(timeoutMs)}. Use a number of milliseconds above 0, or Infinity.`,
    )
  }
  const delivery = deliveryTo(listeners)
  let isOver = false
  const settled = (async () => {
    do {
      await Promise.all(background.keys())
      await delivery.settled()
    } while (background.size > 0 && !isOver)
  })()
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    if (timeoutMs > MAX_TIMER_DELAY) return
    timer = setTimeout(() => reject(tooLong(timeoutMs, left())), timeoutMs)
  })
  try {
    await Promise.race([settled, limit])
  } finally {
    isOver = true
    clearTimeout(timer)
  }

  function left(): string[] {
    return [
      ...[...background.values()].map(({ processorId, hook }) => `${hook} of '${processorId}'`),
      ...delivery.pending.map((name) => `a listener of '${name}'`),
    ]
  }
}

function tooLong(timeoutMs: number, left: readonly string[]): MillraceError {
  const counts = new Map<string, number>()
  for (const name of left) counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`))
  return new MillraceError(
    'RUN_BACKGROUND_TIMEOUT',
    `After ${timeoutMs} ms, background work is still running: ${names.join(', ')}. It was not stopped. Pass a longer timeoutMs to close(), or set a timeout for the work.`,
  )
}
