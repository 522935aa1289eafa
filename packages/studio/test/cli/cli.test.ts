import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type CompiledProgram, compileProgram } from '../../../../scripts/compiled-program.ts'
import type { Info } from '../../src/wire.ts'
import { Client, onCleanup } from '../scene.ts'

let main: CompiledProgram
let recorder: CompiledProgram
/** Where a program has recorded one run, and has ended. */
const recorded = mkdtempSync(join(tmpdir(), 'millrace-studio-cli-'))
beforeAll(async () => {
  main = await compileProgram(new URL('../../src/cli/main.ts', import.meta.url))
  recorder = await compileProgram(new URL('recording-program.ts', import.meta.url))
  expect((await run(recorder, ['millrace-studio.db'], recorded).ended()).code).toBe(0)
})
afterAll(() => {
  rmSync(recorded, { recursive: true })
  for (const program of [main, recorder]) program.remove()
})

/** Kill the programs that were started. One is started before the first test, where `onCleanup` cannot be used. */
const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

interface Command {
  child: ChildProcess
  /** Resolves with the match when the output matches; rejects if the process exits before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  ended(): Promise<{ output: string; code: number | null }>
}

function run(program: CompiledProgram, args: readonly string[], folder: string): Command {
  const child = spawn(process.execPath, [program.path, ...args], {
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
  stops.push(() => child.kill('SIGKILL') && exit)
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
  const { code, output } = await run(main, [], folderOf()).ended()
  expect(code).toBe(1)
  expect(output).toContain("There is no file 'millrace-studio.db'")
})

test('serves the records of a program that has ended, and refuses actions', async () => {
  const command = run(main, [], recorded)
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
  const program = run(recorder, ['studio.db', 'stay'], folder)
  const [link] = await program.printed(LINK)
  const { code, output } = await run(main, ['--file', 'studio.db'], folder).ended()
  expect(code).toBe(0)
  expect(new URL(LINK.exec(output)?.[0] ?? '').hash).toBe(new URL(link).hash)

  const reader = run(main, ['--file', 'studio.db', '--read'], folder)
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
  expect((await run(recorder, ['studio.db', 'exit'], folder).ended()).code).toBe(0)
  const { output, code } = await run(main, ['--file', 'studio.db', '--export', 'nowhere'], folder).ended()
  expect(code).toBe(1)
  expect(output).toContain("There is no run 'nowhere'")
})

test('exports one run to a file', async () => {
  const folder = folderOf()
  const file = join(recorded, 'millrace-studio.db')
  const reader = run(main, ['--file', file, '--read'], folder)
  const client = new Client((await reader.printed(LINK))[0])
  const [summary] = await client.runs()
  const id = summary?.id ?? ''
  const args = ['--file', file, '--export', id]
  expect((await run(main, [...args, '--out', 'run.html'], folder).ended()).code).toBe(0)
  expect(readFileSync(join(folder, 'run.html'), 'utf8')).toContain('Hello from the program.')
  expect(statSync(join(folder, 'run.html')).mode & 0o777).toBe(0o600)
  expect((await run(main, [...args, '--format', 'json'], folder).ended()).code).toBe(0)
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
  const { code, output } = await run(main, args, recorded).ended()
  expect(code).toBe(1)
  expect(output).toContain(message)
})
