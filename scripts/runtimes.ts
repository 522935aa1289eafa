// Runs the packed packages on the supported runtimes: the oldest and the newest Node, and core on Bun and Deno. The
// runtimes are installed from the registry that npm is configured for.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importAll } from './import-all.ts'
import { packAll } from './installed-size.ts'
import { installedPackages, publishedPackages } from './published-packages.ts'
import { runCommand } from './run-command.ts'

/** The minimum version of the manifests, such as `22.14.0`. */
const oldest = `${/\d+\.\d+/.exec(publishedPackages[0]?.manifest.engines?.node ?? '')?.[0]}.0`
const { platform, arch } = process
const isWindows = platform === 'win32'

const runtimes: readonly Runtime[] = [node(oldest), node('latest'), bun(), deno()]

interface Runtime {
  readonly name: string
  /** The npm package of the runtime. */
  readonly install: string
  readonly command: readonly [program: string, ...args: string[]]
  /** Whether only core is supported on it. */
  readonly core?: boolean
}

function node(version: string): Runtime {
  const name = `node-${isWindows ? 'win' : platform}-${arch}`
  return {
    name: `Node ${version}`,
    install: `${name}@${version}`,
    command: [`node_modules/${name}/bin/node`],
  }
}

function bun(): Runtime {
  const name = `@oven/bun-${isWindows ? 'windows' : platform}-${arch === 'arm64' ? 'aarch64' : arch}`
  return { name: 'Bun', install: `${name}@latest`, command: [`node_modules/${name}/bin/bun`], core: true }
}

function deno(): Runtime {
  const name = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`
  const command = [`node_modules/${name}/deno`, 'run', '--no-prompt', '--allow-env', '--allow-read'] as const
  return { name: 'Deno', install: `${name}@latest`, command, core: true }
}

const CORE = `import { Agent } from '@millrace/core'
async function* answer() {
  yield { type: 'text-start', id: 'text' }
  yield { type: 'text-delta', id: 'text', delta: 'Hello from core.' }
  yield { type: 'text-end', id: 'text' }
  yield { type: 'finish', finishReason: { unified: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } }
}
const model = {
  specificationVersion: 'v4', provider: 'own', modelId: 'own', supportedUrls: {},
  doStream: async () => ({ stream: ReadableStream.from(answer()) }),
}
const { text } = await new Agent({ model }).generate('Hi')
if (text !== 'Hello from core.') throw new Error(text)
`

const EVERYTHING = `import { Agent } from '@millrace/core'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { Memory } from '@millrace/memory'
import { PIIDetector } from '@millrace/pii'
import { SQLiteStore } from '@millrace/store-sqlite'
import { ScriptedModel } from '@millrace/testing'

const model = new ScriptedModel(['Hello Jo.', 'You are Jo.'])
const storage = new SQLiteStore({ path: 'memory.db' })
const processors = [new PromptInjectionDetector(), new PIIDetector()]
const agent = new Agent({ model, processors, memory: new Memory({ storage }) })
const thread = { threadId: 'a', resourceId: 'jo' }
await agent.generate('I am Jo, jo@example.com.', thread)
await agent.generate('Who am I?', thread)
const prompt = JSON.stringify(model.lastPrompt)
if (!prompt.includes('I am Jo') || prompt.includes('jo@example.com')) throw new Error(prompt)
await agent.close()
await storage.close()
`

const installer = await packAll()
try {
  for (const { name, install, command, core = false } of runtimes) {
    const names = core ? ['@millrace/core'] : installedPackages.map(({ manifest }) => manifest.name)
    await installer.install([...names, install], async (project) => {
      const [program, ...args] = command
      const run = async (file: string, code: string): Promise<void> => {
        writeFileSync(join(project, file), code)
        await runCommand(project, join(project, program), ...args, file)
      }
      const manifests = installedPackages.map(({ manifest }) => manifest)
      await run('import-all.mjs', importAll(manifests.filter((manifest) => names.includes(manifest.name))))
      await run('core.mjs', CORE)
      if (!core) await run('everything.mjs', EVERYTHING)
      console.log(`ok  ${name}`)
    })
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  installer.remove()
}
