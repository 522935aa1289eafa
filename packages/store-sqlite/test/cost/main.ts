// Compares the store with statements written by hand: `pnpm --filter @millrace/store-sqlite measure 100000 1000000`, for
// databases with so many messages.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measurementsOf, openPair } from './measure.ts'

const sizes = process.argv.slice(2).map(Number)
for (const messages of sizes.length > 0 ? sizes : [1_000, 100_000]) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-cost-'))
  try {
    const pair = await openPair((name) => join(folder, name), { messages })
    for (const measure of Object.values(measurementsOf(pair))) {
      const { name, store, handWritten, ratio } = await measure()
      console.log(
        `${messages} messages, ${name}: ${store.toFixed(0)} µs, by hand ${handWritten.toFixed(0)} µs, ratio ${ratio.toFixed(2)}`,
      )
    }
    await pair.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
}
