// Fails if the code of a package is not built. Every published package runs it as `prepack`, in its folder.
import { existsSync, readFileSync } from 'node:fs'
import type { Manifest } from './published-packages.ts'

const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const problem = whatIsMissing() ?? whatIsUnresolved()
if (problem !== undefined) {
  console.error(`${manifest.name} cannot be packed: ${problem}`)
  process.exitCode = 1
}

function whatIsMissing(): string | undefined {
  const { bin = {}, exports = {} } = manifest.publishConfig ?? {}
  const files = [...Object.values(bin), ...Object.values(exports)].flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry as Record<string, string>),
  )
  const missing = files.filter((file) => !existsSync(file))
  if (missing.length === 0) return undefined
  return `${missing[0]} does not exist. Run \`pnpm check build\` at the root of the repository first.`
}

/** pnpm replaces `workspace:` by versions, npm does not. */
function whatIsUnresolved(): string | undefined {
  const isNpm = process.env.npm_execpath?.endsWith('npm-cli.js') ?? false
  const siblings = Object.entries(manifest.dependencies ?? {}).filter(([, range]) =>
    range.startsWith('workspace:'),
  )
  if (!isNpm || siblings.length === 0) return undefined
  return `npm leaves the range of ${siblings[0]?.[0]} unresolved. Use \`pnpm pack\` or \`pnpm publish\`.`
}
