// Measures what a user loads and installs, and compares it with budgets. Loaded: bundled and minified imports, without
// dependencies and peers. Installed: packed packages with all dependencies, in an empty project.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from './bundle.ts'
import { packAll } from './installed-size.ts'
import { publishedPackages, root } from './published-packages.ts'

const { values: flags } = parseArgs({ options: { json: { type: 'string' } } })

/** The results for `--json <file>`, which also installs other frameworks. */
const found: Found = { loaded: [], installed: [] }

interface Found {
  /** Kilobytes, compressed: at startup and on demand. */
  readonly loaded: { code: string; kilobytes: number; onDemand: number; budget: number }[]
  /** Megabytes, without the AI SDK's provider package. */
  readonly installed: { names: readonly string[]; megabytes: number; packages: number; budget?: number }[]
}

interface Budget {
  readonly code: string
  readonly kilobytes: number
  /** Packages it is used with, whose size is counted there. */
  readonly peers?: readonly string[]
}

/** Every processor, bundled alone: its size at startup. */
const processors: Budget[] = publishedPackages
  .filter(({ manifest }) => /^@millrace\/(?:guards|pii|tokens|steering|context)$/.test(manifest.name))
  .flatMap(({ manifest }) =>
    Object.keys(manifest.publishConfig?.exports ?? {})
      .filter((subpath) => subpath !== './package.json')
      // The root export of a package is excluded: applications import subpaths.
      .filter((subpath, _, all) => subpath !== '.' || all.length === 1)
      .map((subpath) => ({
        code: `export * from '${manifest.name}${subpath.slice(1)}'`,
        kilobytes: 30,
        peers: ['@millrace/core'],
      })),
  )

const memory: Budget = {
  // With history, recall, working memory, notes, files and retention. Rarely used parts are loaded on demand.
  code: `export { Memory } from '@millrace/memory'`,
  kilobytes: 30,
  peers: ['@millrace/core', '@millrace/core/storage'],
}

const budgets: Budget[] = [
  { code: `export { Agent } from '@millrace/core'`, kilobytes: 60 },
  memory,
  ...processors,
]

const libraries = publishedPackages
  .flatMap(({ manifest }) => Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
  .filter((name) => !name.startsWith('@millrace/'))

for (const { code, kilobytes, peers = [] } of budgets) {
  const { gzippedBytes: bytes, gzippedBytesOnDemand } = await bundle(code, {
    external: ['node:*', ...libraries, ...peers],
  })
  const over = bytes > kilobytes * 1_000
  const onDemand = gzippedBytesOnDemand / 1_000
  found.loaded.push({ code, kilobytes: bytes / 1_000, onDemand, budget: kilobytes })
  console.log(
    `${over ? 'over budget' : 'ok'}  ${(bytes / 1_000).toFixed(1)} of ${kilobytes} kB gzip at once, ${(gzippedBytesOnDemand / 1_000).toFixed(1)} on demand  ${code}`,
  )
  if (over) process.exitCode = 1
}

// All code, at startup and on demand: the upload of a worker.
const uploaded = {
  code: `export { Agent } from '@millrace/core'
export { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
export { PIIDetector } from '@millrace/pii'`,
  kilobytes: 1_000,
}
const worker = await bundle(uploaded.code, {
  external: ['node:*'],
  conditions: ['workerd', 'worker', 'browser', 'import'],
})
const bytes = worker.gzippedBytes + worker.gzippedBytesOnDemand
found.loaded.push({
  code: uploaded.code,
  kilobytes: bytes / 1_000,
  onDemand: 0,
  budget: uploaded.kilobytes,
})
const isOver = bytes > uploaded.kilobytes * 1_000
if (isOver) process.exitCode = 1
console.log(
  `${isOver ? 'over budget' : 'ok'}  ${(bytes / 1_000).toFixed(1)} of ${uploaded.kilobytes} kB gzip, a worker with guards for personal data and prompt injection`,
)

interface InstalledBudget {
  readonly names: readonly string[]
  /** Without the AI SDK's provider package, which every model needs. Default: no budget. */
  readonly megabytes?: number
}

const installed: InstalledBudget[] = [
  { names: ['@millrace/core'] },
  { names: ['@millrace/core', '@millrace/guards'], megabytes: 8 },
  { names: ['@millrace/core', '@millrace/pii'], megabytes: 20 },
  { names: ['@millrace/core', '@millrace/tokens'] },
  { names: ['@millrace/core', '@millrace/steering'] },
  { names: ['@millrace/core', '@millrace/processors'] },
  { names: ['@millrace/core', '@millrace/context'] },
  { names: ['@millrace/core', '@millrace/interop'] },
  { names: ['@millrace/core', '@millrace/memory'] },
  { names: ['@millrace/core', '@millrace/memory', '@millrace/store-sqlite'], megabytes: 40 },
  { names: ['@millrace/core', '@millrace/memory', '@millrace/store-libsql'] },
  { names: ['@millrace/core', '@millrace/memory', '@millrace/store-postgres'] },
  { names: ['@millrace/core', '@millrace/memory', '@millrace/server'] },
  { names: ['@millrace/core', '@millrace/dbos'] },
  // Up to 5 MB of it are Studio's own, which scripts/studio-command.ts checks.
  { names: ['@millrace/core', '@millrace/studio'], megabytes: 10 },
  { names: ['@millrace/core', '@millrace/testing'] },
]

/** Other frameworks: the packages for a guarded agent with memory on SQLite, as far as they exist. */
const others: readonly (readonly string[])[] = [
  ['ai'],
  ['@openai/agents'],
  ['langchain', '@langchain/core', '@langchain/langgraph'],
  ['@mastra/core', '@mastra/memory', '@mastra/libsql'],
]

const peers = JSON.parse(readFileSync(join(root, 'apps/bench/peers/package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}
const installer = await packAll()
try {
  const provider = await installer.install(['@ai-sdk/provider'])
  for (const { names, megabytes } of installed) {
    const { bytes, packages } = await installer.install(names)
    const size = bytes - provider.bytes
    found.installed.push({
      names,
      megabytes: size / 1_000_000,
      packages: packages.size - provider.packages.size,
      ...(megabytes !== undefined && { budget: megabytes }),
    })
    const over = megabytes !== undefined && size > megabytes * 1_000_000
    const largest = [...packages]
      .filter(([path]) => !provider.packages.has(path))
      .sort(([, left], [, right]) => right - left)
      .slice(0, 4)
      .map(([path, own]) => `${path.replace('node_modules/', '')} ${inMegabytes(own)}`)
    console.log(
      `${over ? 'over budget' : 'ok'}  ${inMegabytes(size)}${megabytes === undefined ? '' : ` of ${megabytes}`} MB installed, ${packages.size - provider.packages.size} packages  ${names.join(' + ')} (${largest.join(', ')})`,
    )
    if (over) process.exitCode = 1
  }
  for (const names of flags.json === undefined ? [] : others) {
    const versions = peers.dependencies
    const { bytes, packages } = await installer.install(
      names.map((name) => `${name}@${versions[name] ?? '*'}`),
    )
    const size = bytes - provider.bytes
    found.installed.push({
      names,
      megabytes: size / 1_000_000,
      packages: packages.size - provider.packages.size,
    })
    console.log(`${inMegabytes(size)} MB installed, ${packages.size} packages  ${names.join(' + ')}`)
  }
} finally {
  installer.remove()
}

if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(found, null, 2)}\n`)

function inMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
