import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts')
const CONFIG = join(import.meta.dirname, 'millrace.config.ts')

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

interface Command {
  /** Resolves with the output when the pattern matches; rejects if the process exits before. */
  printed(pattern: RegExp): Promise<string>
  /** Sends SIGTERM as a supervisor does. Resolves with the exit code. */
  end(): Promise<number | null>
  /** Resolves with the output and the exit code when the process has exited by itself. */
  ended(): Promise<{ output: string; code: number | null }>
}

function run(args: readonly string[], { folder = tmpdir(), env = {} } = {}): Command {
  const child = spawn(process.execPath, ['--conditions=@millrace/source', MAIN, ...args], {
    cwd: folder,
    env: { ...process.env, MILLRACE_KEY: '', ...env },
  })
  let output = ''
  let changed = Promise.withResolvers<void>()
  let isOver = false
  const change = (): void => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      output += data
      change()
    })
  }
  const exit = once(child, 'close').then(([code]) => {
    isOver = true
    change()
    return code as number | null
  })
  cleanups.push(() => child.kill('SIGKILL') && exit)
  return {
    async printed(pattern) {
      while (!pattern.test(output)) {
        if (isOver) throw new Error(`The command exited. Its output: ${output}`)
        await changed.promise
      }
      return output
    },
    async end() {
      child.kill('SIGTERM')
      return exit
    },
    ended: async () => ({ code: await exit, output }),
  }
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-cli-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  return folder
}

async function clientOf(command: Command, apiKey?: string): Promise<{ client: OpenAI; url: string }> {
  const output = await command.printed(/at (http:\S+)\n(?:Key: \S+\n)?/)
  const url = /at (http:\S+)/.exec(output)?.[1] ?? ''
  const key = apiKey ?? /Key: (\S+)/.exec(await command.printed(/Key: \S+/))?.[1]
  return { url, client: new OpenAI({ baseURL: `${url}/v1`, apiKey: key ?? '', maxRetries: 0 }) }
}

const hello = [{ role: 'user' as const, content: 'Hello' }]

describe('without a configuration', () => {
  test('serves the demo agent to clients that send the printed key', async () => {
    const command = run(['--port', '0'], { folder: emptyFolder() })
    const { client, url } = await clientOf(command)
    expect(url).toContain('127.0.0.1')
    const { choices } = await client.chat.completions.create({ model: 'demo', messages: hello })
    expect(choices[0]?.message.content).toContain('demo agent')
    const stream = client.responses.stream({ model: 'demo', input: 'Water is wet' })
    expect((await stream.finalResponse()).output_text).toContain('Water is wet')
    expect((await fetch(`${url}/v1/models`)).status).toBe(401)
    expect(await command.end()).toBe(0)
  })

  test('takes the key from the environment, and does not print it', async () => {
    const command = run(['--port', '0'], { folder: emptyFolder(), env: { MILLRACE_KEY: 'key-of-ada' } })
    const { client } = await clientOf(command, 'key-of-ada')
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['demo'])
    expect(await command.printed(/at/)).not.toContain('key-of-ada')
  })
})

describe('with a configuration', () => {
  test('serves the agents of the configuration', async () => {
    const command = run(['--config', CONFIG])
    const { client } = await clientOf(command)
    for (const model of ['support', 'plain']) {
      const { choices } = await client.chat.completions.create({ model, messages: hello })
      expect(choices[0]?.message.content).toBe('From the configuration')
    }
  })

  test('prints an error with the remedy, without a stack trace', async () => {
    const { code, output } = await run(['--config', 'nowhere.ts']).ended()
    expect(code).toBe(1)
    expect(output).toContain("There is no file 'nowhere.ts'")
    expect(output).not.toContain('    at ')
  })

  test('--help prints the usage', async () => {
    const { code, output } = await run(['--help']).ended()
    expect([code, output]).toEqual([0, expect.stringContaining('--config <file>')])
  })
})

test('refuses headers that are too large, and continues to serve', async () => {
  const command = run(['--port', '0'], { folder: emptyFolder() })
  const { client, url } = await clientOf(command)
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.end(`GET /health HTTP/1.1\r\nhost: a\r\nx-large: ${'a'.repeat(20_000)}\r\n\r\n`)
  let answer = ''
  for await (const data of socket) answer += data
  expect(answer).toContain('431')
  expect((await client.models.list()).data).toHaveLength(1)
})
