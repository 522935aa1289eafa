import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Info } from '../../src/wire.ts'
import { Client, onCleanup } from '../scene.ts'

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts')
const PROGRAM = join(import.meta.dirname, 'recording-program.ts')

interface Command {
  child: ChildProcess
  /** Resolves with the match when the output matches; rejects if the process exits before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  ended(): Promise<{ output: string; code: number | null }>
}

function run(program: string, args: readonly string[], folder: string): Command {
  const child = spawn(process.execPath, ['--conditions=@millrace/source', program, ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  let isOver = false
  let changed = Promise.withResolvers<void>()
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
  onCleanup(() => child.kill('SIGKILL') && exit)
  return {
    child,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(output)
        if (match) return match
        if (isOver) throw new Error(`The command exited. Its output: ${output}`)
        await changed.promise
      }
    },
    ended: async () => ({ code: await exit, output }),
  }
}

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-studio-cli-'))
  onCleanup(() => rmSync(folder, { recursive: true }))
  return folder
}

const LINK = /(http:\/\/127\.0\.0\.1:\d+\/\S*#token=\S+)/

test('prints an error with the remedy for a folder without records', async () => {
  const { code, output } = await run(MAIN, [], folderOf()).ended()
  expect(code).toBe(1)
  expect(output).toContain("There is no file 'millrace-studio.db'")
})

test('serves the records of a program that has ended, and refuses actions', async () => {
  const folder = folderOf()
  expect((await run(PROGRAM, ['millrace-studio.db'], folder).ended()).code).toBe(0)
  const command = run(MAIN, [], folder)
  const client = new Client((await command.printed(LINK))[0])
  expect(await client.get<Info>('/api/info')).toMatchObject({
    mode: 'file',
    file: 'millrace-studio.db',
    agents: [],
  })
  const [summary] = await client.runs()
  expect(summary).toMatchObject({ state: 'completed', input: 'Hi', answer: 'Hello from the program.' })
  expect(await client.refusal(`/api/runs/${summary?.id}/replay`, {})).toMatchObject({ code: 'NO_PROCESS' })
  command.child.kill('SIGTERM')
  expect((await command.ended()).code).toBe(0)
})

test('prints the link of a running program, and follows its file with --read', async () => {
  const folder = folderOf()
  const program = run(PROGRAM, ['studio.db', 'stay'], folder)
  const [link] = await program.printed(LINK)
  const { code, output } = await run(MAIN, ['--file', 'studio.db'], folder).ended()
  expect(code).toBe(0)
  expect(new URL(LINK.exec(output)?.[0] ?? '').hash).toBe(new URL(link).hash)

  const reader = run(MAIN, ['--file', 'studio.db', '--read'], folder)
  const client = new Client((await reader.printed(LINK))[0])
  const live = client.events('/api/events')
  await client.runs()
  program.child.stdin?.write('again\n')
  for await (const { event, data } of live) {
    // The run before is told of as well, where it was not on record yet.
    if (event === 'run' && (data as { input?: unknown }).input === 'Again') break
  }
})

test('a program with studio() exits by itself, with everything recorded', async () => {
  const folder = folderOf()
  expect((await run(PROGRAM, ['studio.db', 'exit'], folder).ended()).code).toBe(0)
  const { output, code } = await run(MAIN, ['--file', 'studio.db', '--export', 'nowhere'], folder).ended()
  expect(code).toBe(1)
  expect(output).toContain("There is no run 'nowhere'")
})

test('exports one run to a file', async () => {
  const folder = folderOf()
  await run(PROGRAM, ['studio.db'], folder).ended()
  const reader = run(MAIN, ['--file', 'studio.db', '--read'], folder)
  const client = new Client((await reader.printed(LINK))[0])
  const [summary] = await client.runs()
  const id = summary?.id ?? ''
  const args = ['--file', 'studio.db', '--export', id]
  expect((await run(MAIN, [...args, '--out', 'run.html'], folder).ended()).code).toBe(0)
  expect(readFileSync(join(folder, 'run.html'), 'utf8')).toContain('Hello from the program.')
  expect(statSync(join(folder, 'run.html')).mode & 0o777).toBe(0o600)
  expect((await run(MAIN, [...args, '--format', 'json'], folder).ended()).code).toBe(0)
  expect(JSON.parse(readFileSync(join(folder, `run-${id}.json`), 'utf8'))).toMatchObject({
    format: 'millrace-run',
    id,
  })
})

test.each([
  [['--port', '70000'], "--port is '70000'"],
  [['--export', 'x', '--format', 'pdf'], "--format is 'pdf'"],
  [['--nonsense'], '--nonsense'],
])('%j is refused', async (args, message) => {
  const folder = folderOf()
  await run(PROGRAM, ['millrace-studio.db'], folder).ended()
  const { code, output } = await run(MAIN, args, folder).ended()
  expect(code).toBe(1)
  expect(output).toContain(message)
})
