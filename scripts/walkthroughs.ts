// Runs the commands of the first steps for contributors literally, in an empty folder, with a local registry that has these
// packages, and a local repository. Arguments are words of headings. Needs npm, git and bash, and the registry that npm is
// configured for.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalRegistry } from './local-registry.ts'
import { root } from './published-packages.ts'
import { publishInOrder } from './release/publish.ts'
import { packInOrder } from './release/tarballs.ts'
import { runCommand } from './run-command.ts'

interface Walkthrough {
  readonly title: string
  readonly blocks: readonly string[]
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-steps-'))
const upstream = (await runCommand(root, 'npm', 'config', 'get', 'registry')).trim()
const registry = await startLocalRegistry('@millrace', join(folder, 'registry'), {
  upstream,
  names: ['create-millrace'],
})
try {
  const words = process.argv.slice(2)
  const chosen = walkthroughs().filter(({ title }) => words.every((word) => title.includes(word)))
  if (chosen.length === 0) throw new Error(`No walkthrough has '${words.join(' ')}' in its heading.`)
  writeFileSync(join(folder, '.npmrc'), registry.npmrc)
  await publishInOrder(await packInOrder(root, join(folder, 'tarballs')), folder, registry.url)
  for (const walkthrough of chosen) await follow(walkthrough)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
}

function walkthroughs(): Walkthrough[] {
  return readFileSync(join(root, 'apps/docs/contributing/first-steps.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')),
      blocks: Array.from(part.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, block]) => String(block)),
    }))
}

async function follow({ title, blocks }: Walkthrough): Promise<void> {
  let place = join(folder, title.replace(/\W+/g, '-'))
  mkdirSync(place)
  for (const block of blocks) {
    console.log(`${title}: ${block.split('\n', 1)[0]}`)
    place = await runBlock(place, block)
  }
  console.log(`Works: ${title}`)
}

/** Runs the commands until one fails, and returns their final working directory. */
async function runBlock(place: string, block: string): Promise<string> {
  const end = join(folder, 'end')
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const env = {
    ...process.env,
    npm_config_registry: registry.url,
    // A separate cache: the user's may have packages of earlier runs with the same versions.
    npm_config_cache: join(folder, 'npm-cache'),
    // npm asks before it runs a command for the first time.
    npm_config_yes: 'true',
    // Redirects the URL that contributors clone to the local repository.
    GIT_CONFIG_COUNT: '3',
    GIT_CONFIG_KEY_0: `url.${root}.insteadOf`,
    GIT_CONFIG_VALUE_0: repository.url.replace('git+', ''),
    GIT_CONFIG_KEY_1: 'user.name',
    GIT_CONFIG_VALUE_1: 'Ada',
    GIT_CONFIG_KEY_2: 'user.email',
    GIT_CONFIG_VALUE_2: 'ada@example.com',
  }
  const script = `set -e\ntrap 'pwd > "${end}"' EXIT\n${block}`
  await new Promise<void>((resolve, reject) => {
    execFile('bash', ['-c', script], { cwd: place, env, maxBuffer: 64_000_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`Failed in ${place}:\n${block}\n${stdout}${stderr}`))
      else resolve()
    })
  })
  return readFileSync(end, 'utf8').trim()
}
