import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { collect, errorPart, hang, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Processor } from '../processors/processor.ts'
import type { Chunk } from '../results/chunk.ts'
import { Suspend, TripWire } from '../signals.ts'
import { PipelineSession } from './pipeline-session.ts'
import { ProcessorPipeline } from './processor-pipeline.ts'

const PROMPT: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]

const shouts: Processor = {
  id: 'shouts',
  processOutputStream: ({ part }) =>
    part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.toUpperCase() } : part,
}

describe('an answer', () => {
  test('passes the hooks, with its end', async () => {
    const pipeline = new ProcessorPipeline([shouts], { model: new ScriptedModel([text(['a', 'b'])]) })
    const { chunks, end } = pipeline.answer({ prompt: PROMPT })
    expect(textOf(await collect(chunks))).toBe('AB')
    expect(await end).toMatchObject({
      finishReason: 'stop',
      usage: { inputTokens: 10 },
      replacedText: undefined,
    })
  })

  test('is passed to a function in place of chunks, which it waits for', async () => {
    const written: Chunk[] = []
    let open: () => void = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const model = new ScriptedModel([text(['a', 'b', 'c'])])
    const { end } = new ProcessorPipeline([], { model }).answer({
      prompt: PROMPT,
      write: (chunk) => {
        written.push(chunk)
        return chunk.type === 'text-delta' ? gate : undefined
      },
    })
    await expect.poll(() => textOf(written)).toBe('a')
    open()
    await end
    expect(textOf(written)).toBe('abc')
  })

  test('passes the parts of every response as the model sends them, except text deltas', async () => {
    const types: string[] = []
    const wraps: Processor = { id: 'wraps', wrapModelCall: ({ request, next }) => next(request) }
    for (const processors of [[], [wraps]]) {
      const model = new ScriptedModel([text(['a', 'b'])])
      const { end } = new ProcessorPipeline(processors, { model }).answer({
        prompt: PROMPT,
        write: () => undefined,
        onPart: ({ type }) => void types.push(type),
      })
      await end
      expect(types.splice(0)).toEqual([
        'stream-start',
        'response-metadata',
        'text-start',
        'text-end',
        'finish',
      ])
    }
  })

  test('whose step is rejected with retry discards it and starts again', async () => {
    const picky: Processor = {
      id: 'picky',
      processOutputStep: ({ text: said, abort }) =>
        said === 'bad' ? abort('No.', { retry: true }) : undefined,
    }
    const pipeline = new ProcessorPipeline([picky], { model: new ScriptedModel(['bad', 'good']) })
    const { chunks, end } = pipeline.answer({ prompt: PROMPT })
    const all = await collect(chunks)
    expect(all.map(({ type }) => type)).toContain('step-discarded')
    await expect(end).resolves.toMatchObject({ usage: { inputTokens: 20 } })
  })

  test('leaves decided calls to the caller, and calls the model again if all are answered', async () => {
    const denies: Processor = {
      id: 'denies',
      processToolCall: ({ toolCall: { toolName } }) =>
        toolName === 'no' ? { deny: 'Never.' } : { input: { safe: true } },
    }
    const model = new ScriptedModel([[toolCall('no')], [toolCall('yes', { safe: false })]])
    const { chunks, end } = new ProcessorPipeline([denies], { model }).answer({ prompt: PROMPT })
    const all = await collect(chunks)
    expect(all.filter(({ type }) => type === 'tool-call' || type === 'tool-denied')).toMatchObject([
      { type: 'tool-call', toolName: 'no', providerExecuted: true },
      { type: 'tool-denied', toolName: 'no', reason: 'Never.' },
      { type: 'tool-call', toolName: 'yes', input: { safe: true } },
    ])
    expect(await end).toMatchObject({ finishReason: 'tool-calls' })
    expect(model.callCount).toBe(2)
  })

  test('ends with the calls if the caller continues', async () => {
    const denies: Processor = { id: 'denies', processToolCall: () => ({ deny: 'Never.' }) }
    const model = new ScriptedModel([[toolCall('no')]])
    const { chunks, end } = new ProcessorPipeline([denies], { model }).answer({
      prompt: PROMPT,
      endsWithCalls: true,
    })
    await collect(chunks)
    await end
    expect(model.callCount).toBe(1)
  })

  test('calls the model at most maxSteps times', async () => {
    const denies: Processor = { id: 'denies', processToolCall: () => ({ deny: 'Never.' }) }
    const model = new ScriptedModel([[toolCall('no')]], { repeat: 'last' })
    const { chunks, end } = new ProcessorPipeline([denies], { model }).answer({ prompt: PROMPT, maxSteps: 3 })
    await collect(chunks)
    await end
    expect(model.callCount).toBe(3)
  })

  test('may come from a processor that halts, or that ends the loop on tool results', async () => {
    const halts: Processor = { id: 'halts', processInput: ({ halt }) => halt('Instead.') }
    const halted = new ProcessorPipeline([halts], { model: new ScriptedModel([]) }).answer({ prompt: PROMPT })
    expect(textOf(await collect(halted.chunks))).toBe('Instead.')
    expect(await halted.end).toMatchObject({ finishReason: 'stop', halt: { processorId: 'halts' } })

    const ends: Processor = { id: 'ends', processToolStep: () => ({ finish: true, text: 'Enough.' }) }
    const model = new ScriptedModel([])
    const ended = new ProcessorPipeline([ends], { model }).answer({ prompt: withResult('x') })
    expect(textOf(await collect(ended.chunks))).toBe('Enough.')
    await ended.end
    expect(model.callCount).toBe(0)
  })

  test('rejects with the reason if it is cut short', async () => {
    const cases: [Processor, (error: unknown) => boolean][] = [
      [{ id: 'a', processInput: ({ abort }) => abort('No.') }, TripWire.isInstance],
      [{ id: 'a', processInput: ({ suspend }) => suspend() }, Suspend.isInstance],
    ]
    for (const [processor, isIt] of cases) {
      const { chunks, end } = new ProcessorPipeline([processor]).answer({ prompt: PROMPT })
      await collect(chunks)
      await expect(end).rejects.toSatisfy(isIt)
    }
    const broken = new ProcessorPipeline([], {
      model: new ScriptedModel([[text('a'), errorPart(new Error('down'))]]),
    }).answer({
      prompt: PROMPT,
    })
    await collect(broken.chunks)
    await expect(broken.end).rejects.toMatchObject({ code: 'MODEL_STREAM_FAILED' })
  })

  test('that is cancelled or aborted ends at once, whatever it waits for', async () => {
    const model = new ScriptedModel([[text('a'), hang()]])
    const cancelled = new ProcessorPipeline([], { model }).answer({ prompt: PROMPT })
    for await (const chunk of cancelled.chunks) if (chunk.type === 'text-delta') break
    await expect(cancelled.end).rejects.toMatchObject({ code: 'RUN_FAILED' })
    await expect.poll(() => model.lastStream.outcome).toMatch(/aborted|cancelled/)

    const hangs: Processor = { id: 'hangs', processInput: () => new Promise(() => {}) }
    const controller = new AbortController()
    const waiting = new ProcessorPipeline([hangs], { abortSignal: controller.signal }).answer({
      prompt: PROMPT,
    })
    controller.abort(new Error('Enough.'))
    await expect(waiting.end).rejects.toThrow('Enough.')
  })
})

function withResult(value: string): LanguageModelV4Prompt {
  return [
    ...PROMPT,
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'text', value } }],
    },
  ]
}

async function asked(
  processors: readonly Processor[],
  prompt: LanguageModelV4Prompt,
): Promise<LanguageModelV4Prompt> {
  const model = new ScriptedModel(['x'])
  const { chunks, end } = new ProcessorPipeline(processors, { model }).answer({ prompt })
  await collect(chunks)
  await end
  return model.lastPrompt
}

describe('a prompt', () => {
  const said = fc.string({ maxLength: 8 })
  const user = said.map((value) => ({
    role: 'user' as const,
    content: [{ type: 'text' as const, text: value }],
  }))
  const output = fc.oneof(
    said.map((value) => ({ type: 'text' as const, value })),
    fc
      .jsonValue({ maxDepth: 2 })
      .map((value) => ({ type: 'json' as const, value: JSON.parse(JSON.stringify(value)) })),
    said.map((value) => ({ type: 'error-text' as const, value })),
    said.map((value) => ({ type: 'content' as const, value: [{ type: 'text' as const, text: value }] })),
  )
  let calls = 0
  const step = fc
    .tuple(said, fc.array(output, { maxLength: 2 }), fc.boolean())
    .map(([value, outputs, reasons]) => {
      const ids = outputs.map(() => `call-${calls++}`)
      const assistant = {
        role: 'assistant' as const,
        content: [
          ...(reasons ? [{ type: 'reasoning' as const, text: value }] : []),
          { type: 'text' as const, text: value },
          ...ids.map((toolCallId) => ({
            type: 'tool-call' as const,
            toolCallId,
            toolName: 'look',
            input: { value },
          })),
        ],
      }
      const results = outputs.map((given, index) => ({
        type: 'tool-result' as const,
        toolCallId: ids[index] as string,
        toolName: 'look',
        output: given,
      }))
      return results.length > 0 ? [assistant, { role: 'tool' as const, content: results }] : [assistant]
    })
  const turn = fc
    .tuple(user, fc.array(step, { maxLength: 3 }))
    .map(([first, steps]) => [first, ...steps.flat()])
  const prompts = fc
    .array(turn, { minLength: 1, maxLength: 3 })
    .map((turns) => turns.flat() as LanguageModelV4Prompt)

  test('that no processor changes reaches the model unchanged', async () => {
    const looks: Processor = {
      id: 'looks',
      processInput: () => {},
      processInputStep: () => {},
      processToolResult: () => {},
    }
    await fc.assert(
      fc.asyncProperty(prompts, async (prompt) => {
        expect(await asked([looks], prompt)).toEqual(prompt)
      }),
      { numRuns: 60 },
    )
  })

  test('is redacted in all of its parts, however it is edited', async () => {
    const replace = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('SECRET', '***'))
    const copies: Processor = {
      id: 'copies',
      processInput: ({ messages }) =>
        messages.map((message) => ({
          ...message,
          content: replace(message.content) as typeof message.content,
        })),
    }
    const inPlace: Processor = {
      id: 'in-place',
      processInputStep({ messages }) {
        for (const { content } of messages)
          for (const part of content.parts) Object.assign(part, replace(part))
      },
    }
    const deep: Processor = {
      id: 'deep',
      processInputStep({ messages }) {
        const visit = (value: unknown): void => {
          if (typeof value !== 'object' || value === null) return
          for (const [key, inner] of Object.entries(value)) {
            if (typeof inner === 'string')
              (value as Record<string, unknown>)[key] = inner.replaceAll('SECRET', '***')
            else visit(inner)
          }
        }
        for (const { content } of messages) visit(content.parts)
      },
    }
    const secrets = prompts.map(
      (prompt) =>
        JSON.parse(
          JSON.stringify(prompt).replaceAll(/"(value|text)":"/g, '"$1":"SECRET '),
        ) as LanguageModelV4Prompt,
    )
    await fc.assert(
      fc.asyncProperty(secrets, fc.constantFrom(copies, inPlace, deep), async (prompt, processor) => {
        expect(JSON.stringify(await asked([processor], prompt))).not.toContain('SECRET')
      }),
      { numRuns: 60 },
    )
  })

  test('has its history remembered, and its tool results passed to the hooks for results', async () => {
    const seen: unknown[] = []
    const looks: Processor = {
      id: 'looks',
      processInput({ messages, messageList }) {
        seen.push(messages.map(({ id }) => messageList.originOf(id)))
      },
      processExecution: ({ direction, value }) => (direction === 'out' ? { value: `${value}!` } : undefined),
      processToolResult: ({ output }) => ({ output: `${output}?` }),
      processToolStep({ toolResults }) {
        seen.push(toolResults.map((result) => 'output' in result && result.output))
      },
    }
    const prompt = await asked(
      [looks],
      [...PROMPT, { role: 'assistant', content: [{ type: 'text', text: 'Yes' }] }, ...withResult('x')],
    )
    expect(seen).toEqual([['remembered', 'remembered', 'input', 'input'], ['x!?']])
    expect(JSON.stringify(prompt.at(-1))).toContain('x!?')
  })
})

test('a session calls processInput once for a turn, and keeps state', async () => {
  let asked = 0
  const counts: Processor = {
    id: 'counts',
    processInput({ state }) {
      asked++
      state.turns = ((state.turns as number | undefined) ?? 0) + 1
    },
  }
  const session = new PipelineSession()
  const template = new ProcessorPipeline([counts])
  const answer = async (prompt: LanguageModelV4Prompt): Promise<void> => {
    const pipeline = new ProcessorPipeline(template, { model: new ScriptedModel(['x']), session })
    const { chunks, end } = pipeline.answer({ prompt })
    await collect(chunks)
    await end
  }
  await answer(PROMPT)
  await answer(withResult('x'))
  expect(asked).toBe(1)
  await answer([...withResult('x'), { role: 'assistant', content: [{ type: 'text', text: 'a' }] }, ...PROMPT])
  expect(asked).toBe(2)
  expect(session.states.get('counts')).toEqual({ turns: 2 })
})

describe('the delivery of an answer', () => {
  const signs: Processor = {
    id: 'signs',
    async processDelivery({ part }) {
      if (part?.type === 'text-delta') return { ...part, textDelta: `<${part.textDelta}>` }
      if (part?.type === 'response-replaced') return { ...part, text: `<${part.text}>` }
      if (part?.type === 'tool-call') return { ...part, input: { signed: part.input } }
      return part
    },
  }

  test('changes what the caller gets, in order, and not the transcript', async () => {
    const call = toolCall('look', { a: 1 }, { id: 'c' })
    const pipeline = new ProcessorPipeline([signs], { model: new ScriptedModel([[text(['a', 'b']), call]]) })
    const { chunks, end } = pipeline.answer({ prompt: PROMPT })
    const given = await collect(chunks)
    await end
    expect(textOf(given)).toBe('<a><b>')
    expect(given.findLast(({ type }) => type === 'tool-call')).toMatchObject({ input: { signed: { a: 1 } } })
    expect(JSON.stringify(pipeline.messageList.get('response'))).not.toContain('<')
  })

  test('changes the text that replaces a streamed one', async () => {
    const adds: Processor = {
      id: 'adds',
      processOutputResult({ messages, messageList }) {
        for (const message of messages) {
          const parts = [...message.content.parts, { type: 'text' as const, text: '!' }]
          messageList.replace({ ...message, content: { ...message.content, parts } })
        }
      },
    }
    const pipeline = new ProcessorPipeline([adds, signs], { model: new ScriptedModel(['a']) })
    const { chunks, end } = pipeline.answer({ prompt: PROMPT })
    await collect(chunks)
    expect((await end).replacedText).toBe('<a!>')
  })

  test('fails the answer if it fails, and lets nothing pass', async () => {
    const breaks: Processor = {
      id: 'breaks',
      processDelivery({ part }) {
        if (part?.type === 'text-delta') throw new Error('broken')
      },
    }
    const model = new ScriptedModel([text(['a', 'b'])])
    const { chunks, end } = new ProcessorPipeline([breaks], { model }).answer({ prompt: PROMPT })
    const given: Chunk[] = []
    await expect(
      (async () => {
        for await (const chunk of chunks) given.push(chunk)
        await end
      })(),
    ).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    expect(textOf(given)).toBe('')
  })
})

test('a session reviews a turn again if its system messages have changed', async () => {
  const asked: string[][] = []
  const reads: Processor = {
    id: 'reads',
    processInput: ({ systemMessages }) => void asked.push(systemMessages.map(({ content }) => content)),
  }
  const session = new PipelineSession()
  const model = new ScriptedModel(['x', 'y'])
  for (const content of ['Be brief.', 'Be kind.']) {
    const prompt: LanguageModelV4Prompt = [{ role: 'system', content }, ...PROMPT]
    await new ProcessorPipeline([reads], { model, session }).answer({ prompt, write: () => undefined }).end
  }
  expect(asked).toEqual([['Be brief.'], ['Be kind.']])
  expect(model.calls[1]?.prompt[0]).toEqual({ role: 'system', content: 'Be kind.' })
})
