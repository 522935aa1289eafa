import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type Processor, userMessage } from '@millrace/core'
import { ScriptedModel, testProcessor } from '@millrace/testing'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asks, promptOf, textsOf } from '../../test/prompt-of.ts'
import { INJECTIONS } from '../../test/shell-injections.ts'
import { type ContextEvent, ShellCommands, type ShellCommandsOptions } from './index.ts'

let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-commands-')))
  // Stands for every program that is allowed: it notes how it was called.
  writeFileSync(
    join(root, 'program.cjs'),
    `const { appendFileSync } = require('node:fs')
     const args = process.argv.slice(2)
     appendFileSync(${JSON.stringify(join(root, 'calls.jsonl'))}, JSON.stringify(args) + '\\n')
     console.log(args.join(' '))`,
  )
})

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }))

async function run(line: string, options: Partial<ShellCommandsOptions> = {}) {
  const events: ContextEvent[] = []
  const processor = new ShellCommands({
    commands: {},
    root,
    onContext: (event) => events.push(event),
    ...options,
  })
  return { ...(await promptOf(line, [processor])), events }
}

/** A script is no argument that a user could write: here the rule has it. */
function scripted(name: string, script: string): ShellCommandsOptions['commands'] {
  writeFileSync(join(root, `${name}.cjs`), script)
  return { [name]: { file: process.execPath, args: [[join(root, `${name}.cjs`)]] } }
}

const runScript = (name: string, script: string, options: Partial<ShellCommandsOptions> = {}) =>
  run(`$(${name} ${join(root, `${name}.cjs`)})`, { commands: scripted(name, script), ...options })

describe('a command', () => {
  test('that is allowed runs, and its output is its own user message', async () => {
    const { texts, roles, events } = await run('What is $(echo allowed)?', {
      commands: { echo: { args: [['allowed']] } },
    })
    expect(roles).toEqual(['user', 'user'])
    expect(texts).toEqual([
      '<command-output command="echo allowed" exitCode="0">\nallowed\n\n</command-output>',
      'What is $(echo allowed)?',
    ])
    expect(events).toMatchObject([
      { source: 'echo allowed', status: 'added', messageId: 'shell-commands:echo allowed' },
    ])
  })

  test('has no shell, no input, and only the given environment', async () => {
    const script = "console.log(JSON.stringify([process.env, require('node:fs').readFileSync(0, 'utf8')]))"
    const { texts } = await runScript('show', script, { env: { LANG: 'C' } })
    expect(texts[0]).toContain('[{"LANG":"C"},""]')
  })

  test('runs in the given folder', async () => {
    expect((await runScript('where', 'console.log(process.cwd())')).texts[0]).toContain(`\n${root}\n`)
  })

  test('that fails reports its exit code and its error output', async () => {
    const { texts } = await runScript('fails', "console.error('no such thing'); process.exit(3)")
    expect(texts[0]).toContain('exitCode="3">\nno such thing\n')
  })

  test('that does not exist is reported', async () => {
    const { texts, events } = await run('$(none)', { commands: { none: {} } })
    expect(texts[0]).toContain('none: It could not be run (ENOENT).')
    expect(events).toMatchObject([{ status: 'refused', reason: 'failed' }])
  })

  test('runs once, however often it is named, up to the limit', async () => {
    const commands = { echo: { args: [[/\w+/]] } }
    expect((await run('$(echo a) $(echo a)', { commands })).texts).toHaveLength(2)
    const many = await run('$(echo a) $(echo b) $(echo c)', { commands, maxCommands: 2 })
    expect(many.texts[2]).toContain('More commands were left out: the limit is 2.')
  })

  test('is ignored in code and if it is escaped', async () => {
    const commands = { echo: { args: [['allowed']] } }
    for (const input of [
      '`$(echo allowed)`',
      '```\n$(echo allowed)\n```',
      '\\$(echo allowed)',
      '$$(echo allowed)',
      '> $(echo allowed)',
    ])
      expect((await run(input, { commands })).texts).toEqual([input])
  })

  test('is only read in the user text of this turn', async () => {
    const commands = { echo: { args: [[/.*/]] } }
    const adds: Processor = {
      id: 'adds',
      processInput: ({ messageList }) =>
        messageList.add({ ...userMessage('$(echo context)'), id: 'added' }, 'context'),
    }
    const history = [
      { role: 'user', content: '$(echo history)' },
      { role: 'assistant', content: '$(echo answer)' },
      { role: 'user', content: '$(echo now)' },
    ]
    const { texts } = await promptOf(history, [adds, new ShellCommands({ commands, root })])
    expect(texts.filter((text) => text.startsWith('<command-output'))).toEqual([
      expect.stringContaining('command="echo now"'),
    ])
  })
})

describe('output', () => {
  test('has output that is not expanded and cannot close its tag', async () => {
    const script = "console.log('$(show) @README.md </command-output> \\u001b[31mred\\u001b[0m\\u0007')"
    const { texts } = await runScript('show', script)
    expect(texts).toHaveLength(2)
    expect(texts[0]).toContain('$(show) @README.md &lt;/command-output> red\n')
  })

  test('with binary output shows a note instead', async () => {
    expect((await runScript('raw', 'process.stdout.write(Buffer.from([1, 0, 2]))')).texts[0]).toContain(
      '[The output is no text.]',
    )
  })
})

describe('limits', () => {
  /** A script that starts a child, which starts another, and notes both; then it goes on. */
  const family = (then: string): ShellCommandsOptions['commands'] => {
    writeFileSync(join(root, 'child.sh'), 'sleep 1000 &\necho $$ $! > noted\nmv noted pids\nwait\n')
    writeFileSync(join(root, 'family.sh'), `sh child.sh &\nwhile [ ! -e pids ]; do :; done\n${then}\n`)
    return { family: { file: '/bin/sh', args: [['family.sh']] } }
  }
  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      // A process that was killed and is not reaped yet is no process any more.
      return !existsSync('/proc') || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    } catch {
      return false
    }
  }
  const living = () => readFileSync(join(root, 'pids'), 'utf8').trim().split(' ').map(Number).filter(isAlive)

  test('of time: the process is stopped with its child processes', async () => {
    const commands = family('echo begun; wait')
    const { texts } = await run('$(family family.sh)', { commands, timeoutMs: 2_000 })
    expect(texts[0]).toContain('begun\n\n[The command was stopped after 2000 ms.]')
    await expect.poll(living).toEqual([])
  })

  test('of output: the process is stopped, and no more output is kept', async () => {
    const commands = family('while :; do echo xxxxxxxxxxxxxxxxxxx; done')
    const { texts } = await run('$(family family.sh)', { commands, maxBytes: 2_000, timeoutMs: 60_000 })
    expect(texts[0]).toMatch(/>\n(?:x{19}\n){100}\n\[The command was stopped after 2000 bytes of output\.\]/)
    await expect.poll(living).toEqual([])
  })

  test('child processes of a command end with it', async () => {
    const { texts } = await run('$(family family.sh)', { commands: family('exit 0'), timeoutMs: 60_000 })
    expect(texts[0]).toContain('exitCode="0"')
    await expect.poll(living).toEqual([])
  })

  test('aborting a run stops its command', async () => {
    const controller = new AbortController()
    const agent = new Agent({
      model: new ScriptedModel(['Fine.']),
      processors: [new ShellCommands({ commands: family('wait'), root, timeoutMs: 60_000 })],
    })
    const running = agent.generate('$(family family.sh)', { abortSignal: controller.signal })
    await expect.poll(() => existsSync(join(root, 'pids'))).toBe(true)
    controller.abort()
    expect((await running).status).toBe('aborted')
    await expect.poll(living).toEqual([])
  })
})

describe('only the allowed argument vectors run', () => {
  const calls = (): unknown[] =>
    existsSync(join(root, 'calls.jsonl'))
      ? readFileSync(join(root, 'calls.jsonl'), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []

  /** `echo` and `git` are the program that notes its calls: what they would be called with is seen. */
  const commands = (): ShellCommandsOptions['commands'] => {
    const vectors: Record<string, readonly (readonly (string | RegExp)[])[]> = {
      echo: [['allowed']],
      git: [['status'], ['log', /\w+/]],
    }
    return Object.fromEntries(
      Object.entries(vectors).map(([name, args]) => [name, { file: process.execPath, args }]),
    )
  }

  test('with an empty list, no arguments are allowed', async () => {
    for (const line of ['echo allowed', 'ls', 'touch CANARY', '__proto__', 'constructor']) {
      const { texts, events } = await run(`$(${line})`)
      expect(texts[0]).toContain('this command is not allowed')
      expect(events).toMatchObject([{ status: 'refused', reason: 'not-allowed' }])
    }
    expect(readdirSync(root)).toEqual(['program.cjs'])
  })

  test(`in ${INJECTIONS.length} injection attempts`, { timeout: 120_000 }, async () => {
    expect(new Set(INJECTIONS).size).toBeGreaterThanOrEqual(200)
    const executed: string[] = []
    const processor = new ShellCommands({
      commands: commands(),
      root,
      onContext: ({ source, status }) => {
        if (status !== 'refused') executed.push(source)
      },
    })
    for (const attempt of INJECTIONS) {
      await promptOf(`Please run $(${attempt}) now`, [processor])
      await promptOf(`$(${attempt}`, [processor])
      expect(existsSync(join(root, 'CANARY'))).toBe(false)
    }
    expect(executed.filter((line) => !/^(?:echo allowed|git status|git log \w+)$/.test(line))).toEqual([])
    expect(readdirSync(root)).toEqual(['program.cjs'])
  })

  test('for any line', async () => {
    const file = process.execPath
    const program = join(root, 'program.cjs')
    const processor = new ShellCommands({
      commands: {
        run: {
          file,
          args: [
            [program, 'one'],
            [program, /[a-z]+/, 'two'],
          ],
        },
      },
      root,
      maxCommands: 3,
    })
    const word = fc.constantFrom(
      program, 'one', 'two', 'x', '-e', '--eval', ';', '&&', '|', '`id`', '"', "'", '\n', '$(', ')', '*', '', ' ', '-x', 'Two',
    ) // biome-ignore format: a list of words
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (words) => {
        await promptOf(`$(run ${words.join(' ')})`, [processor])
      }),
      { numRuns: 200 },
    )
    for (const call of calls())
      expect([['one'], [expect.stringMatching(/^[a-z]+$/), 'two']]).toContainEqual(call)
  })

  test('a pattern matches no option, and only whole arguments', async () => {
    const echo = { args: [[/.*/m]] }
    for (const line of ['echo -n', 'echo --help', 'echo a b'])
      expect((await run(`$(${line})`, { commands: { echo } })).texts[0]).toContain(
        'these arguments are not allowed',
      )
    expect((await run('$(echo aXb)', { commands: { echo: { args: [[/X/g]] } } })).texts[0]).toContain(
      'not allowed',
    )
    expect((await run('$(echo a=b)', { commands: { echo } })).texts[0]).toContain('\na=b\n')
  })

  test('a function decides about all arguments, and only `true` allows', async () => {
    const commands = {
      echo: { args: (args: readonly string[]) => (args.length === 2 ? true : ('yes' as never)) },
    }
    expect((await run('$(echo a b)', { commands })).texts[0]).toContain('\na b\n')
    expect((await run('$(echo a)', { commands })).texts[0]).toContain('not allowed')
  })
})

test("blocks the run with 'block'", async () => {
  expect((await run('$(rm -rf x)', { onRefused: 'block' })).status).toBe('tripwire')
})

test('a suspended run does not run commands again when it is resumed', async () => {
  const program = join(root, 'program.cjs')
  const commands = { run: { file: process.execPath, args: [[program, 'once']] } }
  const model = new ScriptedModel(['Fine.'])
  const agent = new Agent({ model, processors: [new ShellCommands({ commands, root }), asks] })
  const asked = await agent.generate(`$(run ${program} once)`)
  if (asked.status !== 'suspended') throw new Error(asked.status)
  await agent.resume(asked.runId, { go: true })
  expect(textsOf(model)[0]).toContain('\nonce\n')
  expect(readFileSync(join(root, 'calls.jsonl'), 'utf8')).toBe('["once"]\n')
})

test.each([
  { commands: undefined },
  { commands: { ls: true } },
  { commands: { ls: { args: ['-l'] } } },
  { commands: { ls: { args: [[1]] } } },
  { commands: { ls: { file: './ls' } } },
  { commands: { ls: { file: '' } } },
  { timeoutMs: 0 },
  { maxBytes: 0 },
  { maxCommands: 0 },
  { env: { A: 1 } },
])('throws on %o', (options) => {
  expect(() => new ShellCommands({ commands: {}, ...options } as never)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})

testProcessor('ShellCommands', { create: () => new ShellCommands({ commands: {} }) })
