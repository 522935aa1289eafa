// Bundles what a user imports, minified, without dependencies and peers, and compares it with its budget.
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publishedPackages, root } from './published-packages.ts'

const budgets = [{ code: `export { Agent } from '@millrace/core'`, kilobytes: 30 }]

const external = publishedPackages
  .flatMap(({ manifest }) => Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
  .filter((name) => !name.startsWith('@millrace/'))

for (const { code, kilobytes } of budgets) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    external,
    write: false,
    logLevel: 'error',
  })
  const bytes = outputFiles.reduce((sum, file) => sum + gzipSync(file.contents).byteLength, 0)
  const over = bytes > kilobytes * 1_000
  console.log(
    `${over ? 'over budget' : 'ok'}  ${(bytes / 1_000).toFixed(1)} of ${kilobytes} kB gzip  ${code}`,
  )
  if (over) process.exitCode = 1
}
