import type { Figure } from '../figure.ts'
import { quantile } from '../measure.ts'
import { BlockWatch } from './block-watch.ts'
import { scaleStores } from './scale-store.ts'
import { type Operation, Workload } from './workload.ts'

/** Maximum ratio of the time of a call in the largest database to that in the smallest. */
const GROWTH = 1.5
/** Maximum ratio of the time of a call after others have saved `MESSAGES_OF_OTHERS` more messages. */
const OTHERS = 1.2
const MESSAGES_OF_OTHERS = 10_000
/** Maximum milliseconds that the event loop is blocked. */
const BLOCK = 50

/** Measures a store in databases with these numbers of messages, smallest first. */
export async function measureStore(name: string, sizes: readonly number[]): Promise<Figure[]> {
  const open = scaleStores[name]
  if (!open)
    throw new Error(`There is no store '${name}'. Use one of: ${Object.keys(scaleStores).join(', ')}.`)
  const { store, remove } = await open()
  const watch = new BlockWatch()
  const figures: Figure[] = []
  const smallest = new Map<string, number>()
  try {
    const workload = new Workload(store)
    await workload.begin()
    for (const size of sizes) {
      await workload.grow(size)
      const label = size.toLocaleString('en')
      const times = new Map<string, number>()
      for (const operation of workload.operations()) {
        const { median, block } = await timeOf(operation, watch)
        times.set(operation.name, median)
        figures.push({ name: `${name}, ${label}: ${operation.name}`, value: median, unit: 'ms' })
        figures.push({
          name: `${name}, ${label}: ${operation.name}, at a stretch`,
          value: block,
          unit: 'ms',
          budget: BLOCK,
        })
        const before = smallest.get(operation.name)
        if (before === undefined) smallest.set(operation.name, median)
        else if (size === sizes.at(-1)) {
          const growth = {
            name: `${name}: ${operation.name}, growth`,
            value: median / before,
            unit: '×',
            budget: GROWTH,
          }
          figures.push(growth)
        }
      }
      if (size !== sizes.at(-1)) continue
      await workload.grow(size + MESSAGES_OF_OTHERS)
      for (const operation of workload.operations().filter(({ name }) => name.startsWith('words'))) {
        const { median } = await timeOf(operation, watch)
        const value = median / (times.get(operation.name) ?? Number.NaN)
        figures.push({
          name: `${name}: ${operation.name}, after others saved`,
          value,
          unit: '×',
          budget: OTHERS,
        })
      }
    }
  } finally {
    watch.end()
    await remove()
  }
  return figures
}

async function timeOf(
  { prepare, run, times }: Operation,
  watch: BlockWatch,
): Promise<{ median: number; block: number }> {
  const measured: number[] = []
  const blocks: number[] = []
  for (let time = -3; time < times; time++) {
    await prepare?.()
    await new Promise((resolve) => setImmediate(resolve))
    watch.take()
    const started = performance.now()
    await run()
    if (time < 0) continue
    measured.push(performance.now() - started)
    blocks.push(watch.take())
  }
  // Noise makes some times longer: the longest 5 % are left out.
  return { median: quantile(measured, 0.5), block: quantile(blocks, 0.95) }
}
