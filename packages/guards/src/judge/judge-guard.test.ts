import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAI } from '@ai-sdk/openai'
import { Agent, tool } from '@millrace/core'
import { beforeResponse, collect, gate, hang, ScriptedModel, text, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Finding, Strategy } from '../guard/options.ts'
import { perform } from '../guard/task.ts'
import { JudgeGuard, type JudgeGuardOptions } from './judge-guard.ts'
import type { JudgementEvent } from './judgement-event.ts'
import type { Check } from './verdict.ts'
import { WindowGuard } from './window-guard.ts'
import { windowsOf } from './windows.ts'

afterEach(() => {
  vi.useRealTimers()
})

const verdict = (flagged: boolean): string =>
  JSON.stringify({ flagged, categories: flagged ? ['rude'] : [], score: flagged ? 0.9 : 0.1, reason: 'So.' })

/** A judge that flags texts with `bad` in them. */
function judging(): ScriptedModel {
  return new ScriptedModel(({ prompt }) => [verdict(lastText(prompt).includes('bad'))])
}

function lastText(prompt: unknown): string {
  const messages = prompt as { content: { text: string }[] }[]
  return JSON.parse(messages.at(-1)?.content[0]?.text ?? '""')
}

const instructions = 'Flag what is rude.'

interface Play extends Partial<JudgeGuardOptions> {
  answer: string | readonly string[]
  question?: string
}

async function play({ answer, question = 'hi', ...options }: Play) {
  const findings: Finding[] = []
  const judgements: JudgementEvent[] = []
  const guard = new JudgeGuard({
    model: judging(),
    instructions,
    onDetection: (finding) => findings.push(finding),
    onJudgement: (event) => judgements.push(event),
    ...options,
  })
  const agent = new Agent({ name: 'a', model: new ScriptedModel([[text(answer)]]), processors: [guard] })
  const stream = agent.stream(question)
  const chunks = await collect(stream.fullStream)
  const result = await stream.result
  const streamed = chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.textDelta : '')).join('')
  return { ...result, answer: result.text, streamed, findings, judgements }
}

const long = Array.from({ length: 60 }, (_, index) => `Sentence number ${index} is here.`).join(' ')

describe('a streamed answer', () => {
  test('of a thousand chunks is judged with one call per window', async () => {
    const answer = Array.from({ length: 1_000 }, (_, index) => `word${index} `)
    const model = judging()
    const { answer: left, judgements } = await play({ answer, model, window: 2_000, surfaces: ['answer'] })
    expect(left).toBe(answer.join(''))
    const windows = await perform(windowsOf(answer.join(''), { size: 2_000, overlap: 200 }))
    expect(windows.length).toBe(4)
    expect(model.calls).toHaveLength(windows.length)
    expect(judgements).toHaveLength(windows.length)
    expect(judgements[0]).toMatchObject({ calls: 1, inputTokens: 10, outputTokens: 5, surface: 'answer' })
  })

  test('is blocked before the flagged window is emitted, and the metadata has the cost', async () => {
    const { status, rejection, streamed } = await play({ answer: [...`${long} bad things.`], window: 200 })
    expect(status).toBe('tripwire')
    expect(streamed).not.toContain('bad')
    expect(rejection).toMatchObject({
      reason: 'Something unwanted was found in the answer: rude.',
      metadata: { surface: 'answer', categories: ['rude'], judge: { calls: expect.any(Number) } },
    })
  })

  test.each([
    ['redact', /^\[REDACTED\]/],
    ['filter', /^$/],
    ['warn', /^bad/],
  ] as const)('is treated by %s', async (strategy, expected) => {
    const { answer, status, findings } = await play({ answer: 'bad thing.', strategy })
    expect(status).toBe('completed')
    expect(answer).toMatch(expected)
    expect(findings).toMatchObject([{ type: 'rude', surface: 'answer', start: 0, end: 10, score: 0.9 }])
  })

  test('is emitted window by window, each judged while the next one arrives', async () => {
    const gates = [gate(), gate(), gate()]
    const judge = new ScriptedModel(gates.map((each) => [beforeResponse(each), verdict(false)]))
    const pieces = ['One is here. ', 'Two is here. ', 'Three is it.']
    const model = new ScriptedModel([[text(pieces)]])
    const guard = new JudgeGuard({ model: judge, instructions, window: 20, overlap: 0, surfaces: ['answer'] })
    const stream = new Agent({ name: 'a', model, processors: [guard] }).stream('hi')
    const out: string[] = []
    const read = (async () => {
      for await (const delta of stream.textStream) out.push(delta)
    })()
    await gates[1]?.reached
    expect(out).toEqual([])
    gates[0]?.open()
    await gates[2]?.reached
    expect(out).toEqual(pieces.slice(0, 1))
    for (const each of gates) each.open()
    await read
    expect(out.join('')).toBe(pieces.join(''))
  })

  test('is not delayed if findings are only reported', async () => {
    const answers = gate()
    const judge = new ScriptedModel([[beforeResponse(answers), verdict(true)]], { repeat: 'last' })
    const guard = new JudgeGuard({
      model: judge,
      instructions,
      window: 20,
      overlap: 0,
      surfaces: ['answer'],
      mode: 'monitor',
    })
    const model = new ScriptedModel([[text(long, { chunkSize: 10 })]])
    let out = ''
    for await (const delta of new Agent({ name: 'a', model, processors: [guard] }).stream('hi').textStream) {
      out += delta
      if (out === long) answers.open()
    }
    expect(out).toBe(long)
  })

  test.each(['block', 'redact', 'warn', 'filter'] as Strategy[])(
    'has the same result however it is cut, with %s',
    async (strategy) => {
      const words = fc.array(fc.constantFrom('bad', 'fine', 'so.', '\n', '🙂', 'longerword'), {
        maxLength: 25,
      })
      await fc.assert(
        fc.asyncProperty(words, fc.integer({ min: 1, max: 9 }), async (words, size) => {
          const whole = words.join(' ') || 'x'
          const outcome = async (deltas: readonly string[]) => {
            const played = await play({ answer: deltas, strategy, window: 24, surfaces: ['answer'] })
            const { answer, status, findings, streamed } = played
            return { answer, status, findings, streamed: strategy === 'block' ? '' : streamed }
          }
          const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
          expect(await outcome(pieces)).toEqual(await outcome([whole]))
        }),
        { numRuns: 40 },
      )
    },
  )
})

test('judges the input, tool input, tool results, reasoning and remembered messages', async () => {
  const tools = { echo: tool({ inputSchema: z.any(), execute: (input: { say: string }) => input.say }) }
  const events: JudgementEvent[] = []
  const model = judging()
  const guard = new JudgeGuard({ model, instructions, onJudgement: (event) => events.push(event) })
  const turns = [[toolCall('echo', { say: 'well' })], ['ok']]
  const agent = new Agent({ name: 'a', model: new ScriptedModel(turns), tools, processors: [guard] })
  await agent.generate('hi')
  expect(events.map(({ surface }) => surface)).toEqual(['input', 'tool-input', 'tool-result', 'answer'])
  const calling = new Agent({
    name: 'a',
    model: new ScriptedModel([[toolCall('echo', { say: 'bad' })], ['ok']]),
    tools,
    processors: [guard],
  })
  expect((await calling.generate('hi')).rejection?.reason).toContain('the input of a tool')
  expect((await calling.generate('bad')).rejection?.hook).toBe('processInput')
})

test('judges a tool output once, though every hook gets a copy of it', async () => {
  const asked: string[] = []
  const check: Check = async (texts) => {
    asked.push(...texts)
    return texts.map(() => ({
      flagged: false,
      categories: [],
      score: 0,
      reason: '',
      calls: 1,
      inputTokens: 0,
      outputTokens: 0,
    }))
  }
  const echo = tool({ inputSchema: z.any(), execute: () => ({ rows: [{ name: 'one' }] }) })
  const guard = new WindowGuard({
    id: 'judge',
    label: 'It was',
    check,
    surfaces: ['tool-input', 'tool-result'],
  })
  const model = new ScriptedModel([[toolCall('echo', { of: { what: ['it'] } })], ['ok']])
  await new Agent({ model, tools: { echo }, processors: [guard] }).generate('hi')
  expect(asked).toEqual(['{"of":{"what":["it"]}}', '{"rows":[{"name":"one"}]}'])
})

test('requests each verdict once', async () => {
  const model = judging()
  const guard = new JudgeGuard({ model, instructions })
  const agent = new Agent({
    name: 'a',
    model: new ScriptedModel(['ok'], { repeat: 'last' }),
    processors: [guard],
  })
  for (let run = 0; run < 3; run++) await agent.generate('hi')
  expect(model.calls).toHaveLength(2)
})

describe('a judge that fails', () => {
  test.each([
    ['is refused', new ScriptedModel([], {})],
    ['answers prose', new ScriptedModel(['It is fine.'], { repeat: 'last' })],
    ['answers another form', new ScriptedModel(['{"flagged":"no"}'], { repeat: 'last' })],
    ['answers nothing', new ScriptedModel([[]], { repeat: 'last' })],
  ])('%s blocks by default', async (_, model) => {
    const { status, rejection } = await play({ answer: 'ok', model })
    expect(status).toBe('tripwire')
    expect(rejection?.reason).toBe('There is no verdict about the input: the check failed.')
    const passed = await play({ answer: 'ok', model, onFailure: 'pass' })
    expect(passed.answer).toBe('ok')
    expect(passed.judgements[0]?.failure).toBeInstanceOf(Error)
  })

  test.each([true, false])('blocks at the timeout (ignoring the signal: %s)', async (ignoreAbort) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asked = gate()
    asked.open()
    const model = new ScriptedModel([
      [beforeResponse(asked), beforeResponse(hang({ ignoreAbort })), verdict(false)],
    ])
    const played = play({ answer: 'ok', model, timeoutMs: 500 })
    await asked.reached
    await vi.advanceTimersByTimeAsync(500)
    expect((await played).status).toBe('tripwire')
  })

  test('does not delay an abort of the run', async () => {
    const asked = gate()
    asked.open()
    const model = new ScriptedModel([
      [beforeResponse(asked), beforeResponse(hang({ ignoreAbort: true })), verdict(false)],
    ])
    const controller = new AbortController()
    const guard = new JudgeGuard({ model, instructions })
    const agent = new Agent({ name: 'a', model: new ScriptedModel(['ok']), processors: [guard] })
    const run = agent.generate('hi', { abortSignal: controller.signal })
    await asked.reached
    controller.abort()
    expect((await run).status).toBe('aborted')
  })
})

describe('over HTTP', () => {
  let server: Server | undefined
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })

  async function served(answer: (body: string, response: ServerResponse) => void) {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => answer(body, response))
    })
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return createOpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}/v1` }).chat('judge')
  }

  function completion(content: string): string {
    const chunk = (fields: object): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'judge', ...fields })}\n\n`
    const choice = (delta: object, finish_reason: string | null): object => ({
      choices: [{ index: 0, delta, finish_reason }],
    })
    return [
      chunk(choice({ role: 'assistant', content }, null)),
      chunk(choice({}, 'stop')),
      chunk({ choices: [], usage: { prompt_tokens: 21, completion_tokens: 7, total_tokens: 28 } }),
      'data: [DONE]\n\n',
    ].join('')
  }

  const modelSettings = { maxRetries: 0 }

  test('a judge answers, and its tokens are counted', async () => {
    const bodies: string[] = []
    const model = await served((body, response) => {
      bodies.push(body)
      response.setHeader('content-type', 'text/event-stream')
      response.end(completion(verdict(body.includes('bad'))))
    })
    const { rejection, judgements } = await play({ answer: 'a bad answer', model })
    expect(judgements.map(({ failure }) => failure)).toEqual([undefined, undefined])
    expect(rejection).toMatchObject({ metadata: { judge: { calls: 2, inputTokens: 42, outputTokens: 14 } } })
    expect(judgements).toHaveLength(2)
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ response_format: { type: 'json_schema' } })
  })

  test.each([
    ['is down', (response: ServerResponse) => response.destroy()],
    ['answers with an error', (response: ServerResponse) => response.writeHead(500).end('{}')],
    ['answers nonsense', (response: ServerResponse) => response.end(completion('whatever'))],
    ['never answers', () => {}],
  ])('a judge that %s blocks', async (_, answer) => {
    const model = await served((_body, response) => {
      response.setHeader('content-type', 'text/event-stream')
      answer(response)
    })
    const { status, rejection } = await play({ answer: 'ok', model, modelSettings, timeoutMs: 300 })
    expect(status).toBe('tripwire')
    expect(rejection?.metadata).toMatchObject({ categories: ['unchecked'] })
  })
})

describe('the usage of its model', () => {
  test('is in the records of the guard, by step, and not in the usage of the run', async () => {
    const plain = await new Agent({ model: new ScriptedModel([[text('All is well.')]]) }).generate('hi')
    const result = await play({ answer: 'All is well.' })
    expect(result.usage).toEqual(plain.usage)
    const used = result.processors.filter(({ modelUsage }) => modelUsage)
    expect(used).toMatchObject([
      { processorId: 'judge-guard', hook: 'processInput', stepNumber: undefined },
      { processorId: 'judge-guard', hook: 'processOutputStream', stepNumber: 0 },
    ])
    expect(result.steps[0]?.processors.filter(({ modelUsage }) => modelUsage)).toEqual(used.slice(1))
    const sum = (count: (event: JudgementEvent) => number): number => {
      return result.judgements.reduce((total, event) => total + count(event), 0)
    }
    const models = used.flatMap(({ modelUsage = [] }) => modelUsage)
    expect(models.map(({ calls }) => calls)).toEqual([1, 1])
    expect(models[0]).toMatchObject({ modelId: judging().modelId, provider: judging().provider })
    const inputTokens = models.reduce((total, { usage }) => total + (usage.inputTokens ?? 0), 0)
    expect(inputTokens).toBe(sum((event) => event.inputTokens))
    expect(inputTokens).toBeGreaterThan(0)
  })

  test('includes failed calls, and no cached verdicts', async () => {
    const failing = await play({ answer: 'Fine.', model: new ScriptedModel(['nonsense']), onFailure: 'pass' })
    expect(failing.processors.find(({ hook }) => hook === 'processInput')?.modelUsage).toMatchObject([
      { calls: 1 },
    ])
    const guard = new JudgeGuard({ model: judging(), instructions })
    const agent = new Agent({ model: new ScriptedModel(() => 'Fine.'), processors: [guard] })
    await agent.generate('hi')
    const again = await agent.generate('hi')
    expect(again.processors.some(({ modelUsage }) => modelUsage)).toBe(false)
  })
})

test('fails the run if the check returns too few judgements', async () => {
  const guard = new WindowGuard({ id: 'mute', label: 'Something was', check: async () => [] })
  const model = new ScriptedModel(['Fine.'])
  await expect(new Agent({ model, processors: [guard] }).generate('hi')).rejects.toThrow(
    expect.objectContaining({ code: 'PROCESSOR_FAILED' }),
  )
  expect(model.callCount).toBe(0)
})
