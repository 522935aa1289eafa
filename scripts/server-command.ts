// Installs @millrace/server from packed tarballs into an empty folder, runs its command and calls the demo agent. Needs npm
// and the registry that npm is configured for, for the dependencies.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packAll } from './installed-size.ts'

const CONFIG = `import { Agent } from '@millrace/core'
import { defineConfig } from '@millrace/server'

const model: any = {
  specificationVersion: 'v4', provider: 'own', modelId: 'own', supportedUrls: {},
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'From the configuration' }],
    finishReason: { unified: 'stop' }, usage: { inputTokens: {}, outputTokens: {} }, warnings: [],
  }),
}
export default defineConfig({ agents: {}, proxy: { own: model }, port: 0 })
`

const installer = await packAll()
try {
  await installer.install(
    ['@millrace/core', '@millrace/memory', '@millrace/server', 'zod'],
    async (project) => {
      await ask(project, [], { model: 'demo', expected: 'Hello!' })
      console.log('ok  npx @millrace/server')
      writeFileSync(join(project, 'millrace.config.ts'), CONFIG)
      await ask(project, ['--config', 'millrace.config.ts'], {
        model: 'own',
        expected: 'From the configuration',
      })
      console.log('ok  npx @millrace/server --config millrace.config.ts')
    },
  )
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  installer.remove()
}

async function ask(
  project: string,
  args: readonly string[],
  { model, expected }: { model: string; expected: string },
): Promise<void> {
  const key = crypto.randomUUID()
  const command = spawn('npx', ['@millrace/server', ...args, '--port', '0'], {
    cwd: project,
    env: { ...process.env, MILLRACE_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(command, 'exit')
  try {
    const url = await addressOf(command.stdout)
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    const body = await response.text()
    if (!body.includes(expected)) throw new Error(`Expected '${expected}' in: ${body}`)
  } finally {
    // The process group: npx, its shell and the server.
    if (command.exitCode === null) process.kill(-(command.pid as number), 'SIGTERM')
    await ended
  }
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  let printed = ''
  for await (const text of output) {
    printed += text
    const [, url] = /at (http:\S+)/.exec(printed) ?? []
    if (url) return url
  }
  throw new Error(`The server exited. Its output: ${printed}`)
}
