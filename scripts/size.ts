// Bundles what a user imports, minified, without dependencies and peers, and compares what is loaded at once with its
// budget.
import { bundle } from './bundle.ts'
import { publishedPackages } from './published-packages.ts'

const budgets = [{ code: `export { Agent } from '@millrace/core'`, kilobytes: 30 }]

const external = publishedPackages
  .flatMap(({ manifest }) => Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
  .filter((name) => !name.startsWith('@millrace/'))

for (const { code, kilobytes } of budgets) {
  const { gzippedBytes: bytes, gzippedBytesOnDemand } = await bundle(code, { external })
  const over = bytes > kilobytes * 1_000
  console.log(
    `${over ? 'over budget' : 'ok'}  ${(bytes / 1_000).toFixed(1)} of ${kilobytes} kB gzip at once, ${(gzippedBytesOnDemand / 1_000).toFixed(1)} on demand  ${code}`,
  )
  if (over) process.exitCode = 1
}
