import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Agent, type AgentOptions, type Processor, tool } from '@millrace/core'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import { PIIDetector } from '@millrace/pii'
import { collect, fail, gate, hang, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AuditLog, type AuditLogOptions } from './audit-log.ts'
import type { AuditSink } from './audit-queue.ts'

expect.extend(matchers)

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'))
  folders.push(folder)
  return join(folder, 'logs', 'audit.jsonl')
}

type Line = Record<string, any>

const parse = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** All lines of a log, including rotated files. */
function linesIn(path: string): Line[] {
  const folder = join(path, '..')
  return readdirSync(folder)
    .sort((a, b) => Number(a === 'audit.jsonl') - Number(b === 'audit.jsonl') || (a < b ? -1 : 1))
    .flatMap((file) => parse(readFileSync(join(folder, file), 'utf8')))
}

/** A sink in memory. */
function memory(): AuditSink & { lines: Line[] } {
  const lines: Line[] = []
  return { lines, write: (batch) => void lines.push(...batch.map((line) => JSON.parse(line))) }
}

const events = (lines: readonly Line[]) => lines.map(({ event }) => event)

const look = tool({
  inputSchema: z.object({ name: z.string() }),
  execute: ({ name }) => `${name} lives at al@example.com`,
})

function agentWith(script: unknown, processors: Processor[], options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ model: new ScriptedModel(script as never), processors, tools: { look }, ...options })
}

describe('a run is recorded', () => {
  test('from input to outcome, with the text at the position of the log', async () => {
    const sink = memory()
    const log = new AuditLog({ sink })
    const agent = agentWith(
      [[toolCall('look', { name: 'jo@example.com' })], 'Ask al@example.com.'],
      [new PIIDetector(), log],
    )
    const { runId } = await agent.generate('I am jo@example.com', { threadId: 't', resourceId: 'r' })
    await log.close()
    expect(events(sink.lines)).toEqual(['input', 'tool-call', 'tool-result', 'output', 'outcome'])
    expect(sink.lines).toLeakNothingOf('example.com')
    const [input, call, result, output, outcome] = sink.lines
    expect(input).toMatchObject({ log: 'audit-log', threadId: 't', resourceId: 'r' })
    expect(input?.messages[0].content.parts[0].text).toBe('I am ***@***.***')
    expect(call).toMatchObject({ toolName: 'look', stepNumber: 0, input: { name: '***@***.***' } })
    expect(result).toMatchObject({ status: 'success', output: expect.stringContaining('***@***.***') })
    expect(JSON.stringify(output)).toContain('Ask ***@***.***.')
    expect(outcome).toMatchObject({
      runId,
      status: 'completed',
      finishReason: 'stop',
      usage: { totalTokens: 30 },
    })
    expect(outcome?.verdicts).toContainEqual(
      expect.objectContaining({ processorId: 'pii-detector', action: 'changed' }),
    )
    expect(new Set(sink.lines.map(({ run }) => run)).size).toBe(1)
    expect(new Set(sink.lines.map(({ id }) => id)).size).toBe(5)
  })

  test('without messages, inputs and outputs, with content: false', async () => {
    const sink = memory()
    const log = new AuditLog({ sink, content: false })
    await agentWith([[toolCall('look', { name: 'Ada' })], 'She is Ada.'], [log]).generate('Who is Ada?')
    await log.close()
    expect(events(sink.lines)).toEqual(['input', 'tool-call', 'tool-result', 'output', 'outcome'])
    expect(sink.lines).toLeakNothingOf('Ada')
    expect(sink.lines[1]).toMatchObject({ toolName: 'look' })
  })

  test('with the verdict of a guard before it, though its input never reached the log', async () => {
    const sink = memory()
    const log = new AuditLog({ sink })
    const agent = agentWith(['Yes.'], [new KeywordGuard({ keywords: ['secret'] }), log])
    await agent.generate('The secret?')
    await log.flush()
    expect(sink.lines).toEqual([
      expect.objectContaining({
        event: 'outcome',
        status: 'tripwire',
        rejection: expect.objectContaining({ processorId: 'keyword-guard', hook: 'processInput' }),
        verdicts: [expect.objectContaining({ processorId: 'keyword-guard', action: 'aborted' })],
      }),
    ])
  })

  test('with denials, retries and the findings of a guard', async () => {
    const sink = memory()
    const log = new AuditLog({ sink })
    const strict: Processor = {
      id: 'strict',
      processToolCall: () => ({ deny: 'Not now.' }),
      processOutputStep: ({ text, abort }) =>
        text === 'Bad.' ? abort('Try again.', { retry: true }) : undefined,
    }
    const guard = new PIIDetector({ onDetection: (finding) => log.record('finding', finding) })
    await agentWith(
      [[toolCall('look', { name: 'a@example.com' })], 'Bad.', 'Good.'],
      [guard, strict, log],
    ).generate('Hi')
    await log.flush()
    expect(events(sink.lines)).toEqual(['input', 'app-finding', 'tool-result', 'output', 'outcome'])
    expect(sink.lines[1]).toMatchObject({ type: 'email', surface: 'tool-input' })
    expect(sink.lines[2]).toMatchObject({ status: 'denied', error: 'Not now.' })
    expect(sink.lines[4]?.retries).toEqual([{ stepNumber: 1, processorId: 'strict', reason: 'Try again.' }])
  })

  test('with the incomplete answer of an aborted and of a failed run', async () => {
    const sink = memory()
    const log = new AuditLog({ sink })
    const controller = new AbortController()
    const stream = agentWith([['Half an ', hang()]], [log]).stream('Hi', { abortSignal: controller.signal })
    for await (const chunk of stream.fullStream)
      if (chunk.type === 'text-delta' && chunk.textDelta === 'an ') controller.abort()
    await stream.result
    await log.flush()
    expect(events(sink.lines)).toEqual(['input', 'interrupted', 'outcome'])
    expect(sink.lines[1]).toMatchObject({ error: { name: 'AbortError' } })
    expect(JSON.stringify(sink.lines[1]?.messages)).toContain('Half an ')
    sink.lines.length = 0
    await expect(agentWith([['Half', fail(new Error('said jo'))]], [log]).generate('Hi')).rejects.toThrow()
    await log.flush()
    expect(events(sink.lines)).toEqual(['input', 'interrupted'])
    expect(sink.lines[1]).toMatchObject({ error: { code: 'MODEL_STREAM_FAILED' } })
    expect(sink.lines).toLeakNothingOf('said jo')
  })

  test('under one name, before and after a suspension', async () => {
    const sink = memory()
    const log = new AuditLog({ sink })
    const asks: Processor = {
      id: 'asks',
      processToolCall: ({ resumeData, suspend }) => (resumeData ? undefined : suspend('ok?')),
    }
    const agent = agentWith([[toolCall('look', { name: 'Ada' })], 'Done.'], [log, asks])
    const first = await agent.generate('Hi')
    await first.suspension?.resume(true)
    await log.flush()
    expect(events(sink.lines)).toEqual(['input', 'tool-call', 'outcome', 'tool-result', 'output', 'outcome'])
    expect(new Set(sink.lines.map(({ run }) => run)).size).toBe(1)
    expect(sink.lines[2]).toMatchObject({ status: 'suspended', suspension: { processorId: 'asks' } })
  })

  test('whatever values it contains', async () => {
    const sink = memory()
    const log = new AuditLog({ sink })
    const circular: Record<string, unknown> = { big: 1n }
    log.record('odd', {
      big: 1n,
      bytes: new Uint8Array(3),
      long: 'x'.repeat(100_000),
      file: `data:text/plain,${'y'.repeat(999)}`,
    })
    circular.self = circular
    log.record('circular', circular)
    await log.flush()
    expect(sink.lines[0]).toMatchObject({
      big: '1',
      bytes: '[3 bytes]',
      file: 'data:text/plain,[1015 characters]',
    })
    expect(sink.lines[0]?.long.length).toBeLessThan(66_000)
    expect(sink.lines[1]).toMatchObject({ event: 'app-circular', big: '1', self: '[not JSON]' })
  })
})

describe('the sink', () => {
  test('is not awaited by runs', async () => {
    const held = Promise.withResolvers<void>()
    const lines: string[] = []
    const log = new AuditLog({
      sink: {
        async write(batch) {
          await held.promise
          lines.push(...batch)
        },
      },
    })
    const agent = agentWith(() => 'Hello', [log])
    const results = await Promise.all(Array.from({ length: 20 }, () => agent.generate('Hi')))
    expect(results).toHaveLength(20)
    expect(lines).toEqual([])
    held.resolve()
    await log.close()
    expect(lines).toHaveLength(60)
  })

  test('has all records when the agent is closed', async () => {
    const sink = memory()
    const write = async (batch: readonly string[]) => {
      await new Promise(setImmediate)
      await sink.write(batch)
    }
    const agent = agentWith(['Hello'], [new AuditLog({ sink: { write } })])
    await agent.generate('Hi')
    await agent.close()
    expect(events(sink.lines)).toEqual(['input', 'output', 'outcome'])
  })

  test('gets all records in order, one batch at a time', async () => {
    let writing = 0
    let most = 0
    const numbers: number[] = []
    const log = new AuditLog({
      sink: {
        async write(batch) {
          most = Math.max(most, ++writing)
          await new Promise(setImmediate)
          numbers.push(...batch.map((line) => JSON.parse(line).number))
          writing--
        },
      },
      maxPending: 100_000,
    })
    for (let number = 0; number < 20_000; number++) {
      log.record('n', { number })
      if (number % 1_000 === 0) await new Promise(setImmediate)
    }
    await log.close()
    expect(most).toBe(1)
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, number) => number))
  })

  test.each(Array.from({ length: 12 }, (_, depth) => depth))(
    'gets a record that is added %i microtasks after the end of a write',
    async (depth) => {
      const numbers: number[] = []
      const log = new AuditLog({
        sink: {
          async write(batch) {
            numbers.push(...batch.map((line) => JSON.parse(line).number))
            let moment = Promise.resolve()
            for (let count = 0; count < depth; count++) moment = moment.then(() => {})
            if (numbers.length < 20) moment.then(() => log.record('n', { number: numbers.length }))
          },
        },
      })
      log.record('n', { number: 0 })
      for (let turn = 0; turn < 25; turn++) await new Promise(setImmediate)
      expect(numbers).toEqual(Array.from({ length: 20 }, (_, number) => number))
    },
  )

  test('that fails is reported when the log is closed, if it could not be reported earlier', async () => {
    const log = new AuditLog({
      sink: { write: () => Promise.reject(new Error('full')) },
      retryDelaysMs: [],
      onLoss: () => {
        throw new Error('no ears')
      },
    })
    log.record('n', {})
    await expect(log.close()).rejects.toThrow('no ears')
  })

  test('that is too slow loses the newest records, reports it, and gets a record of the gap', async () => {
    const held = Promise.withResolvers<void>()
    const sink = memory()
    const losses: number[] = []
    const log = new AuditLog({
      sink: { write: (batch) => held.promise.then(() => sink.write(batch)) },
      maxPending: 5,
      onLoss: ({ lost }) => losses.push(lost),
    })
    log.record('n', { number: -1 })
    await new Promise(setImmediate)
    for (let number = 0; number < 12; number++) log.record('n', { number })
    held.resolve()
    await log.flush()
    log.record('n', { number: 99 })
    await log.close()
    expect(losses).toHaveLength(7)
    expect(sink.lines.map(({ event, number, lost }) => (event === 'gap' ? `gap ${lost}` : number))).toEqual([
      -1,
      0,
      1,
      2,
      3,
      4,
      'gap 7',
      99,
    ])
  })

  test('that fails is tried again, then reported, and the run continues', async () => {
    let attempts = 0
    const sink = memory()
    const losses: unknown[] = []
    const log = new AuditLog({
      sink: {
        write(batch) {
          if (++attempts <= 4) throw new Error('full')
          return sink.write(batch)
        },
      },
      retryDelaysMs: [0],
      onLoss: (loss) => losses.push(loss),
    })
    const agent = agentWith(() => 'Hello', [log])
    expect(await agent.generate('Hi')).toBeCompleted()
    await log.flush()
    await agent.generate('Hi')
    await log.flush()
    await agent.generate('Hi')
    await log.close()
    const lost = losses.reduce<number>((sum, loss) => sum + (loss as { lost: number }).lost, 0)
    expect(lost).toBeGreaterThan(0)
    expect(sink.lines.filter(({ event }) => event === 'gap').reduce((sum, line) => sum + line.lost, 0)).toBe(
      lost,
    )
    expect(sink.lines.filter(({ event }) => event !== 'gap')).toHaveLength(9 - lost)
  })

  test('that fails without onLoss is reported when the log is closed', async () => {
    const error = new Error('full')
    const log = new AuditLog({ sink: { write: () => Promise.reject(error) }, retryDelaysMs: [] })
    await agentWith(['Hello'], [log]).generate('Hi')
    await expect(log.close()).rejects.toBe(error)
  })

  test('that fails ends the run with onFailure: fail', async () => {
    const sink: AuditSink = { write: () => Promise.reject(new Error('full')) }
    const log = new AuditLog({ sink, retryDelaysMs: [], onFailure: 'fail', onLoss: () => {} })
    const model = new ScriptedModel(['Hello'])
    await expect(new Agent({ model, processors: [log] }).generate('Hi')).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
    })
    expect(model.callCount).toBe(0)
  })

  test('has the input before the model is called, with onFailure: fail', async () => {
    const sink = memory()
    const log = new AuditLog({ sink, onFailure: 'fail' })
    let seen: unknown[] = []
    const model = new ScriptedModel(() => {
      seen = events(sink.lines)
      return 'Hello'
    })
    await new Agent({ model, processors: [log] }).generate('Hi')
    expect(seen).toEqual(['input'])
    expect(events(sink.lines)).toEqual(['input', 'output', 'outcome'])
  })
})

describe('a file', () => {
  test('is created if there is none, readable by its user only', async () => {
    const path = temporaryFile()
    const log = new AuditLog({ path })
    await agentWith(['Hello'], [log]).generate('Hi')
    await log.close()
    expect(events(linesIn(path))).toEqual(['input', 'output', 'outcome'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('is renamed when it is full, and maxFiles of them are kept', async () => {
    const path = temporaryFile()
    const log = new AuditLog({ path, rotate: { maxBytes: 2_000 } })
    for (let number = 0; number < 100; number++) {
      log.record('n', { number })
      if (number % 3 === 0) await log.flush()
    }
    await log.close()
    expect(linesIn(path).map(({ number }) => number)).toEqual(
      Array.from({ length: 100 }, (_, number) => number),
    )
    const folder = join(path, '..')
    const files = readdirSync(folder)
    expect(files.length).toBeGreaterThan(5)
    for (const file of files) expect(statSync(join(folder, file)).size).toBeLessThanOrEqual(2_000)

    const few = new AuditLog({ path, rotate: { maxBytes: 300, maxFiles: 2 } })
    for (let number = 0; number < 10; number++) {
      few.record('n', { number })
      await few.flush()
    }
    expect(readdirSync(folder)).toHaveLength(3)
    expect(linesIn(path).at(-1)?.number).toBe(9)
  })

  test('gets lines of several logs without mixing them, during rotation', async () => {
    const path = temporaryFile()
    const logs = Array.from(
      { length: 4 },
      (_, index) => new AuditLog({ id: `log-${index}`, path, rotate: { maxBytes: 20_000 } }),
    )
    for (let number = 0; number < 300; number++) {
      for (const log of logs) log.record('n', { number, text: 'x'.repeat((number * 37) % 400) })
      if (number % 10 === 0) await new Promise(setImmediate)
    }
    await Promise.all(logs.map((log) => log.close()))
    expectAll(
      linesIn(path),
      logs.map(({ id }) => id),
      300,
    )
  })

  test('gets lines of several processes without mixing them, and nothing is lost at exit', async () => {
    const path = temporaryFile()
    const ids = ['a', 'b', 'c']
    await Promise.all([
      inProcess({ id: 'a', path, count: 2_000 }),
      inProcess({ id: 'b', path, count: 2_000 }),
      // Exits by itself during a write.
      inProcess({ id: 'c', path, count: 2_000, exits: true }),
    ])
    expectAll(linesIn(path), ids, 2_000)
  })
})

/** Every log has consecutive numbers; a record that was written twice counts once. */
function expectAll(lines: readonly Line[], ids: readonly string[], count: number): void {
  const unique = [...new Map(lines.map((line) => [line.id, line])).values()]
  for (const id of ids) {
    const numbers = unique.filter(({ log }) => log === id).map(({ number }) => number)
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, number) => number))
  }
}

async function inProcess({
  id,
  path,
  count,
  exits,
}: {
  id: string
  path: string
  count: number
  exits?: boolean
}) {
  const module = new URL('./index.ts', import.meta.url).href
  const code = `
    const { AuditLog } = await import(${JSON.stringify(module)})
    const log = new AuditLog({ id: ${JSON.stringify(id)}, path: ${JSON.stringify(path)}, rotate: { maxBytes: 100_000 } })
    for (let number = 0; number < ${count}; number++) {
      log.record('n', { number, text: 'x'.repeat(number % 300) })
      if (number % 50 === 0) await new Promise(setImmediate)
    }
    ${exits ? 'process.exit()' : ''}`
  await promisify(execFile)(
    process.execPath,
    ['--conditions=@millrace/source', '--input-type=module', '-e', code],
    {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    },
  )
}

test('one log serves many concurrent runs', async () => {
  const sink = memory()
  const log = new AuditLog({ sink })
  const open = gate()
  const runs = Array.from({ length: 50 }, (_, index) =>
    collect(agentWith([[open, `Answer ${index}`]], [log]).stream(`Question ${index}`).fullStream),
  )
  open.open()
  await Promise.all(runs)
  await log.close()
  const byRun = Map.groupBy(sink.lines, ({ run }) => run)
  expect(byRun.size).toBe(50)
  for (const lines of byRun.values()) {
    expect(events(lines)).toEqual(['input', 'output', 'outcome'])
    const [question, answer] = [/Question (\d+)/, /Answer (\d+)/].map(
      (pattern) => pattern.exec(JSON.stringify(lines))?.[1],
    )
    expect(answer).toBe(question)
  }
})

test.each<AuditLogOptions>([
  {},
  { path: 'a', sink: { write: () => {} } },
  { path: '' },
  { path: 'a', maxPending: 0 },
  { path: 'a', rotate: { maxBytes: -1 } },
  { path: 'a', onFailure: 'x' as never },
  { path: 'a', retryDelaysMs: [-1] },
])('rejects %o', (options) => {
  expect(() => new AuditLog(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
})
