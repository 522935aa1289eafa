import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type AgentOptions, type Message, type Processor, tool, userMessage } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { type LineSink, replay, TranscriptRecorder, type TranscriptRecorderOptions } from './index.ts'
import { fromJsonLine, toJsonLine } from './json-line.ts'

const look = tool({
  description: 'Looks.',
  inputSchema: z.object({ at: z.string() }),
  execute: ({ at }) => ({ at }),
})

function build(
  turns: ConstructorParameters<typeof ScriptedModel>[0],
  options: Partial<TranscriptRecorderOptions> = {},
  { processors = [], ...agentOptions }: Partial<AgentOptions> & { processors?: Processor[] } = {},
) {
  const lines: string[] = []
  const sink: LineSink = async (line) => {
    await Promise.resolve()
    lines.push(line)
  }
  const recorder = new TranscriptRecorder({ sink, ...options })
  const model = new ScriptedModel(turns, { modelId: 'gpt-5' })
  const agent = new Agent({ model, tools: { look }, ...agentOptions, processors: [...processors, recorder] })
  return { agent, model, lines, recorder }
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'millrace-transcript-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

test('records prompts and responses, line by line', async () => {
  const { agent, lines, recorder } = build([['Let me look.', toolCall('look', { at: 'gate' })], 'Open.'])
  await agent.generate('Is it open?', { threadId: 't', resourceId: 'mill' })
  await recorder.flush()
  const entries = lines.map((line) => JSON.parse(line))
  expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
  expect(entries.map(({ type }) => type)).toEqual(['call', 'response', 'call', 'response', 'end'])
  expect(new Set(entries.map(({ run }) => run)).size).toBe(1)
  expect(entries[0]).toMatchObject({
    version: 1,
    threadId: 't',
    resourceId: 'mill',
    stepNumber: 0,
    modelId: 'gpt-5',
    keep: 0,
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Is it open?' }] }],
    tools: [{ type: 'function', name: 'look', description: 'Looks.' }],
  })
  expect(entries[1]).toMatchObject({
    text: 'Let me look.',
    toolCalls: [{ toolName: 'look', input: { at: 'gate' } }],
  })
  expect(entries[2]).toMatchObject({ keep: 1, prompt: [{ role: 'assistant' }, { role: 'tool' }] })
  expect(entries[2].tools).toBeUndefined()
  expect(entries[4].messages.map(({ role }: Message) => role)).toEqual(['user', 'assistant'])
})

test('grows linearly with the length of a run', async () => {
  const size = async (steps: number): Promise<number> => {
    const { agent, lines, recorder } = build(
      (_, index) => (index < steps ? toolCall('look', { at: 'gate '.repeat(100) }) : 'Open.'),
      {},
      { maxSteps: 200 },
    )
    await agent.generate('Go')
    await recorder.flush()
    return lines.join('').length
  }
  expect((await size(80)) / (await size(10))).toBeLessThan(9)
})

describe('replay', () => {
  test('returns every prompt, and a conversation that continues with the same prompt', async () => {
    const at = fc.string({ unit: 'binary', maxLength: 20 })
    const shape = fc.record({
      texts: fc.array(at, { maxLength: 3 }),
      calls: fc.array(fc.array(at, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
      answer: at,
      file: fc.option(fc.webUrl(), { nil: undefined }),
      instructions: at,
    })
    await fc.assert(
      fc.asyncProperty(shape, async ({ texts, calls, answer, file, instructions }) => {
        const turns = [
          ...calls.map((all) => all.map((one) => toolCall('look', { at: one }))),
          answer,
          'Next.',
        ]
        // What is mended for a provider is mended as it is sent.
        const options = { instructions, providerHistory: false } as const
        const { agent, model, lines, recorder } = build(turns, {}, options)
        const asked = userMessage('Look')
        if (file) asked.content.parts.push({ type: 'file', mediaType: 'image/png', url: file })
        const history = texts.map((text) => userMessage(text))
        const { messages } = await agent.generate([...history, asked], { trusted: true })
        await recorder.flush()
        const [run] = replay(lines.join(''))
        expect(run?.calls.map(({ prompt }) => prompt)).toEqual(model.calls.map(({ prompt }) => prompt))
        expect(run?.calls.map(({ tools }) => tools)).toEqual(model.calls.map(({ tools }) => tools))
        await agent.generate([...history, asked, ...messages, userMessage('And?')], { trusted: true })
        const again = new ScriptedModel(['Next.'])
        await new Agent({ model: again, tools: { look }, ...options }).generate(
          [...(run?.messages ?? []), userMessage('And?')],
          { trusted: true },
        )
        expect(again.lastPrompt).toEqual(model.lastPrompt)
      }),
      { numRuns: process.env.MILLRACE_THOROUGH === '1' ? 500 : 60 },
    )
  })

  test('separates concurrent runs of one recorder', async () => {
    const { agent, lines, recorder } = build(({ prompt }) => JSON.stringify(prompt.at(-1)?.content))
    await Promise.all(Array.from({ length: 100 }, (_, mill) => agent.generate(`Mill ${mill}.`)))
    await recorder.flush()
    const runs = replay(lines)
    expect(runs).toHaveLength(100)
    for (const { calls, messages } of runs) {
      const [mill] = /Mill \d+\./.exec(JSON.stringify(calls[0]?.prompt)) ?? []
      expect(calls).toHaveLength(1)
      expect(JSON.stringify(messages)).toContain(mill)
    }
  })

  test('reads a run that was suspended and resumed in another process as one run', async () => {
    const storage = new InMemoryRunStore()
    const asks: Processor = {
      id: 'asks',
      processToolCall: ({ suspend, resumeData }) => {
        if (resumeData === undefined) suspend()
      },
    }
    const first = build([toolCall('look', { at: 'x' })], {}, { storage, processors: [asks] })
    const { suspension } = await first.agent.generate('Go')
    const second = build(['Done.'], {}, { storage, processors: [asks] })
    await second.agent.resume(suspension?.runId ?? '', 'on')
    await Promise.all([first.recorder.flush(), second.recorder.flush()])
    const runs = replay([...first.lines, ...second.lines])
    expect(runs).toHaveLength(1)
    expect(runs[0]?.calls.map(({ prompt }) => prompt)).toEqual([
      first.model.lastPrompt,
      second.model.lastPrompt,
    ])
  })

  const line = (entry: object) => `${JSON.stringify({ version: 1, run: 'r', type: 'call', ...entry })}\n`
  test.each<[string, string, string]>([
    ['no JSON', `${line({ keep: 0, prompt: [] })}nonsense\n`, 'Line 2 of the transcript is not valid JSON'],
    ['other JSON', '[]\n', 'Line 1 of the transcript is not a transcript entry'],
    ['another version', '{"run":"r","type":"call","version":2}\n', 'has version 2'],
    ['a line whose predecessor is gone', line({ keep: 3, prompt: [] }), 'needs 3 messages'],
    ['what has no content', line({ keep: 0, lengths: [] }), 'without content'],
    ['an end without content', line({ type: 'end' }), 'without content'],
  ])('throws on %s', (_, transcript, message) => {
    expect(() => replay(transcript)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    )
  })

  test('ignores an incomplete last line', () => {
    expect(replay(`${line({ keep: 0, prompt: [] })}{"version":1,"ru`)[0]?.calls).toHaveLength(1)
  })

  test('round-trips every value, also one that looks like an encoded value', () => {
    const value = {
      url: new URL('https://example.com/a'),
      bytes: new Uint8Array([0, 255, 7]),
      mimic: [
        { $url: 'https://example.com/' },
        { $bytes: 'AA==' },
        { $escaped: { $url: 'x' } },
        { $url: 1, more: 2 },
      ],
    }
    expect(fromJsonLine(toJsonLine(value))).toEqual(value)
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(fromJsonLine(toJsonLine(json))).toEqual(JSON.parse(JSON.stringify(json)))
      }),
    )
  })
})

test('records what guards left', async () => {
  const mails = tool({ inputSchema: z.object({}), execute: () => 'Ask miller@example.com' })
  const { agent, lines, recorder } = build(
    [toolCall('mails'), 'Write to owner@example.com'],
    {},
    {
      tools: { mails },
      processors: [new PIIDetector()],
    },
  )
  await agent.generate('I am boss@example.com')
  await recorder.flush()
  expect(lines.join('')).not.toMatch(/(?:miller|owner|boss)@example/)
})

test('records no content with content: false', async () => {
  const { agent, lines, recorder } = build([toolCall('look', { at: 'SECRET' }), 'SECRET'], { content: false })
  await agent.generate('SECRET')
  await recorder.flush()
  expect(lines.join('')).not.toContain('SECRET')
  const entries = lines.map((one) => JSON.parse(one))
  expect(entries[0]).toMatchObject({
    lengths: [{ role: 'user' }],
    toolNames: ['look'],
  })
  expect(entries[1]).toMatchObject({ characters: 0, toolNames: ['look'], usage: { inputTokens: 10 } })
  expect(entries.at(-1)).toMatchObject({ type: 'end', messageCount: 2 })
})

describe('a file', () => {
  test('is readable only by its owner, and has whole lines of concurrent runs', async () => {
    const path = join(await folder(), 'runs.jsonl')
    await writeFile(path, '', { mode: 0o644 })
    const { agent, recorder } = build(() => 'Fine.', { sink: path })
    await Promise.all(Array.from({ length: 20 }, () => agent.generate('Hi')))
    await recorder.flush()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(replay(await readFile(path, 'utf8'))).toHaveLength(20)
  })

  test('is not written through a link', async () => {
    const root = await folder()
    await writeFile(join(root, 'other'), 'mine')
    await symlink(join(root, 'other'), join(root, 'runs.jsonl'))
    const { agent, recorder } = build(['Fine.'], { sink: join(root, 'runs.jsonl') })
    const errors: unknown[] = []
    agent.on('background-error', ({ error }) => errors.push(error))
    await agent.generate('Hi')
    await recorder.flush()
    await agent.close()
    expect(await readFile(join(root, 'other'), 'utf8')).toBe('mine')
    expect(errors).toHaveLength(3)
  })
})

test('continues after a line that could not be written, and reports it', async () => {
  const lines: string[] = []
  let count = 0
  const sink = (line: string) => {
    if (++count === 1) throw new Error('full')
    lines.push(line)
  }
  const { agent, recorder } = build(['Fine.'], { sink })
  const errors: unknown[] = []
  agent.on('background-error', (event) => errors.push(event))
  await agent.generate('Hi')
  await recorder.flush()
  await agent.close()
  expect(lines).toHaveLength(2)
  expect(errors).toMatchObject([{ processorId: 'transcript-recorder' }])
})

test.each([{}, { sink: '' }, { sink: 4 }])('throws on %o, and names the sink', (options) => {
  expect(() => new TranscriptRecorder(options as never)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('sink') }),
  )
})
