// Bundles what a user imports, minified, without dependencies and peers, and compares what is loaded at once with its
// budget.
import { bundle } from './bundle.ts'
import { publishedPackages } from './published-packages.ts'

interface Budget {
  readonly code: string
  readonly kilobytes: number
  /** What it is used with, and is counted there. */
  readonly peers?: readonly string[]
}

/** Every subpath of the processors by itself: what a guard loads at once. */
const processors: Budget[] = publishedPackages
  .filter(({ manifest }) => manifest.name === '@millrace/processors')
  .flatMap(({ manifest }) => Object.keys(manifest.exports ?? {}))
  .filter((subpath) => !subpath.endsWith('.json'))
  .map((subpath) => ({
    code: `export * from '@millrace/processors${subpath.slice(1)}'`,
    kilobytes: 15,
    peers: ['@millrace/core'],
  }))

const memory: Budget = {
  code: `export { Memory } from '@millrace/memory'`,
  kilobytes: 15,
  peers: ['@millrace/core', '@millrace/core/storage'],
}

const budgets: Budget[] = [
  { code: `export { Agent } from '@millrace/core'`, kilobytes: 30 },
  memory,
  ...processors,
]

const libraries = publishedPackages
  .flatMap(({ manifest }) => Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
  .filter((name) => !name.startsWith('@millrace/'))

for (const { code, kilobytes, peers = [] } of budgets) {
  const { gzippedBytes: bytes, gzippedBytesOnDemand } = await bundle(code, {
    external: [...libraries, ...peers],
  })
  const over = bytes > kilobytes * 1_000
  console.log(
    `${over ? 'over budget' : 'ok'}  ${(bytes / 1_000).toFixed(1)} of ${kilobytes} kB gzip at once, ${(gzippedBytesOnDemand / 1_000).toFixed(1)} on demand  ${code}`,
  )
  if (over) process.exitCode = 1
}
