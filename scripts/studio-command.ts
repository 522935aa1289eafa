// Installs @millrace/studio from packed tarballs into an empty folder, records a run there, and opens its page with its
// command. Needs npm and the registry that npm is configured for, for the dependencies.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packAll } from './installed-size.ts'
import { runCommand } from './run-command.ts'

const PROGRAM = `import { Agent } from '@millrace/core'
import { studio } from '@millrace/studio'

const model = {
  specificationVersion: 'v4', provider: 'own', modelId: 'own', supportedUrls: {},
  doGenerate: async () => { throw new Error('Not asked for.') },
  doStream: async () => ({ stream: ReadableStream.from([
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'Hello from the program' },
    { type: 'text-end', id: '1' },
    { type: 'finish', finishReason: { unified: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } },
  ]) }),
}
const agent = new Agent({ model })
const trace = studio({ agents: { agent } })
await agent.generate('Hi')
await trace.close()
`

/** Maximum size of the installed package, in bytes. */
const MAX_BYTES = 5_000_000

const installer = await packAll()
try {
  await installer.install(['@millrace/core', '@millrace/guards', '@millrace/studio'], async (project) => {
    const files = globSync('node_modules/@millrace/studio/**/*', { cwd: project })
      .map((file) => join(project, file))
      .filter((file) => statSync(file).isFile())
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
    if (bytes > MAX_BYTES)
      throw new Error(`@millrace/studio has ${bytes} bytes. The maximum is ${MAX_BYTES}.`)
    const native = globSync('node_modules/**/*.node', { cwd: project })
    if (native.length > 0) throw new Error(`There are native modules: ${native.join(', ')}.`)
    writeFileSync(join(project, 'program.mjs'), PROGRAM)
    await runCommand(project, process.execPath, 'program.mjs')
    await openPage(project)
    console.log(`ok  npx @millrace/studio, ${(bytes / 1_000_000).toFixed(1)} MB`)
  })
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  installer.remove()
}

async function openPage(project: string): Promise<void> {
  const command = spawn('npx', ['@millrace/studio'], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(command, 'exit')
  try {
    const { origin, hash } = new URL(await linkOf(command.stdout))
    const headers = { authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get('token')}` }
    const ask = async (path: string): Promise<string> => (await fetch(`${origin}${path}`, { headers })).text()
    expectIn(await ask('/api/runs'), 'Hello from the program')
    expectIn(await ask('/api/bench/guards'), 'SecretDetector')
    const page = await ask('/runs/any')
    const [, script = ''] = /<script[^>]+src="([^"]+)"/.exec(page) ?? []
    if (!(await fetch(`${origin}${script}`)).ok || script === '')
      throw new Error(`The page has no script: ${page}`)
  } finally {
    // The process group: npx, its shell and the server.
    if (command.exitCode === null) process.kill(-(command.pid as number), 'SIGTERM')
    await ended
  }
}

function expectIn(body: string, expected: string): void {
  if (!body.includes(expected)) throw new Error(`Expected '${expected}' in: ${body}`)
}

async function linkOf(output: NodeJS.ReadableStream): Promise<string> {
  let printed = ''
  for await (const text of output) {
    printed += text
    const [, link] = /at (http:\S+#token=\S+)/.exec(printed) ?? []
    if (link) return link
  }
  throw new Error(`The command exited. Its output: ${printed}`)
}
