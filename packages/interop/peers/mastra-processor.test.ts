import * as published from '@mastra/core/processors'
import { Agent, type Processor } from '@millrace/core'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { mastraProcessor } from '../src/mastra/index.ts'

/** A model for their judges: answers every call with this object, or fails. */
const judge = (answer: unknown) =>
  new ScriptedModel(
    answer instanceof Error
      ? () => {
          throw answer
        }
      : () => JSON.stringify(answer),
  ) as never

const down = judge(new Error('down'))

/** What becomes of a processor that Mastra exports: `works`, or part of the reason it is refused with. */
type Row = [make: () => object, outcome: 'works' | RegExp]

const { RegexFilterProcessor, PIIDetector, ModerationProcessor, PromptInjectionDetector, LanguageDetector } =
  published
const model = judge({})

const TABLE: Record<string, Row> = {
  AgentsMDInjector: [() => new published.AgentsMDInjector({} as never), 'works'],
  BatchPartsProcessor: [() => new published.BatchPartsProcessor(), /is one chunk already/],
  ClassifierProcessor: [
    () => Object.create(published.ClassifierProcessor.prototype, { id: { value: 'x' } }),
    /classifiers that Mastra registers/,
  ],
  CostGuardProcessor: [
    () => Object.create(published.CostGuardProcessor.prototype, { id: { value: 'x' } }),
    /costs in Mastra's storage/,
  ],
  LanguageDetector: [
    () => new LanguageDetector({ model, targetLanguages: ['English'] }),
    /lets everything through/,
  ],
  MemoryInputFilter: [
    () => Object.create(published.MemoryInputFilter.prototype, { id: { value: 'x' } }),
    /Mastra's memory/,
  ],
  MessageHistory: [
    () => Object.create(published.MessageHistory.prototype, { id: { value: 'x' } }),
    /Mastra's memory/,
  ],
  ModelSelectionProcessor: [
    () => Object.create(published.ModelSelectionProcessor.prototype, { id: { value: 'x' } }),
    /registry/,
  ],
  ModerationProcessor: [() => new ModerationProcessor({ model }), /lets everything through/],
  PIIDetector: [() => new PIIDetector({ model }), /lets everything through/],
  PrefillErrorHandler: [() => new published.PrefillErrorHandler(), 'works'],
  PromptInjectionDetector: [() => new PromptInjectionDetector({ model }), /lets everything through/],
  ProviderHistoryCompat: [() => new published.ProviderHistoryCompat(), 'works'],
  RegexFilterProcessor: [() => new RegexFilterProcessor({ presets: ['secrets'] }), 'works'],
  ResponseCache: [
    () => Object.create(published.ResponseCache.prototype, { id: { value: 'x' } }),
    /Mastra's own form/,
  ],
  SemanticRecall: [
    () => Object.create(published.SemanticRecall.prototype, { id: { value: 'x' } }),
    /Mastra's memory/,
  ],
  SkillSearchProcessor: [
    () => Object.create(published.SkillSearchProcessor.prototype, { id: { value: 'x' } }),
    /workspace/,
  ],
  SkillsProcessor: [
    () => Object.create(published.SkillsProcessor.prototype, { id: { value: 'x' } }),
    /workspace/,
  ],
  StreamErrorRetryProcessor: [() => new published.StreamErrorRetryProcessor(), 'works'],
  StructuredOutputProcessor: [
    () => Object.create(published.StructuredOutputProcessor.prototype, { id: { value: 'x' } }),
    /stream with an object/,
  ],
  SystemPromptScrubber: [
    () => new published.SystemPromptScrubber({ model, errorStrategy: 'strict' } as never),
    'works',
  ],
  TokenCostControl: [
    () => Object.create(published.TokenCostControl.prototype, { id: { value: 'x' } }),
    /costs in Mastra's storage/,
  ],
  TokenLimiter: [() => new published.TokenLimiter({ limit: 1000 } as never), 'works'],
  TokenLimiterProcessor: [() => new published.TokenLimiterProcessor({ limit: 1000 } as never), 'works'],
  ToolCallFilter: [() => new published.ToolCallFilter(), 'works'],
  ToolSearchProcessor: [
    () => Object.create(published.ToolSearchProcessor.prototype, { id: { value: 'x' } }),
    /tools in Mastra's own form/,
  ],
  UnicodeNormalizer: [() => new published.UnicodeNormalizer(), 'works'],
  WorkingMemory: [
    () => Object.create(published.WorkingMemory.prototype, { id: { value: 'x' } }),
    /Mastra's memory/,
  ],
  WorkspaceInstructionsProcessor: [
    () => Object.create(published.WorkspaceInstructionsProcessor.prototype, { id: { value: 'x' } }),
    /workspace/,
  ],
}

/** Exports that are classes with a hook of their own. */
const exported = Object.entries(published).flatMap(([name, value]) => {
  const hooks = typeof value === 'function' ? Object.getOwnPropertyNames(value.prototype ?? {}) : []
  return hooks.some((hook) => /^(process(?!Part)|compute)/.test(hook)) ? [name] : []
})

describe('every processor that Mastra exports', () => {
  test('is in the table', () => {
    expect(exported.filter((name) => name !== 'ProcessorRunner').sort()).toEqual(Object.keys(TABLE).sort())
  })

  test.each(Object.entries(TABLE))('%s', (_, [make, outcome]) => {
    if (outcome === 'works') expect(mastraProcessor(make()).id).toBeTypeOf('string')
    else expect(() => mastraProcessor(make())).toThrow(outcome)
  })

  test.each(
    Object.entries(TABLE).filter(
      ([name, [, outcome]]) => outcome === 'works' && name !== 'SystemPromptScrubber',
    ),
  )('%s passes a harmless turn with a tool', async (_, [make]) => {
    const agent = new Agent({
      model: new ScriptedModel([[toolCall('add', { a: 1 })], 'Two.']),
      processors: [mastraProcessor(make())],
      tools: {
        add: { inputSchema: z.object({ a: z.number() }), execute: ({ a }: { a: number }) => a + 1 },
      },
    })
    const result = await agent.generate('Add one.')
    expect(result).toMatchObject({ status: 'completed', text: 'Two.' })
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 2 }])
  })

  test('is rejected by an agent, with a hint at the adapter', () => {
    const filter = new RegexFilterProcessor({ presets: ['secrets'] }) as unknown as Processor
    expect(() => new Agent({ model: new ScriptedModel(['x']), processors: [filter] })).toThrow(
      /mastraProcessor/,
    )
  })
})

const rules = [{ name: 'key', pattern: /KEY-\d{8}/ }]

describe('their regex filter', () => {
  test('redacts at every split, unlike in Mastra', async () => {
    const answer = 'The key is KEY-12345678, as asked.'
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(answer.length), { maxLength: 5 }), async (cuts) => {
        const edges = [0, ...[...cuts].sort((a, b) => a - b), answer.length]
        const chunks = edges
          .slice(1)
          .map((edge, index) => answer.slice(edges[index], edge))
          .filter(Boolean)
        const agent = new Agent({
          model: new ScriptedModel([text(chunks)]),
          processors: [mastraProcessor(new RegexFilterProcessor({ rules, strategy: 'redact' }))],
        })
        const run = agent.stream('Hi')
        let streamed = ''
        for await (const delta of run.textStream) streamed += delta
        expect(streamed).toBe('The key is [REDACTED], as asked.')
      }),
      { numRuns: 20 },
    )
  })

  test('blocks by a tripwire, in the input and over two parts of an answer', async () => {
    const filter = mastraProcessor(new RegexFilterProcessor({ rules, strategy: 'block' }))
    const silent = new ScriptedModel([])
    const blocked = await new Agent({ model: silent, processors: [filter] }).generate('A KEY-12345678')
    expect(blocked).toMatchObject({ status: 'tripwire', rejection: { processorId: 'regex-filter' } })
    expect(silent.callCount).toBe(0)
    const parts = new ScriptedModel([[text('KEY-1234'), text('5678')]])
    expect(await new Agent({ model: parts, processors: [filter] }).generate('Hi')).toMatchObject({
      status: 'tripwire',
      text: '',
    })
  })

  test('redacts the input of the model', async () => {
    const inner = new ScriptedModel(['Fine.'])
    const filter = mastraProcessor(new RegexFilterProcessor({ rules, strategy: 'redact' }))
    await new Agent({ model: inner, processors: [filter] }).generate('My key is KEY-12345678.')
    expect(JSON.stringify(inner.lastPrompt)).toContain('My key is [REDACTED].')
  })
})

describe('their judges', () => {
  const strict = { errorStrategy: 'strict' as const }

  test.each([
    ['PII', new PIIDetector({ model: down, ...strict })],
    ['moderation', new ModerationProcessor({ model: down, ...strict })],
    ['injection', new PromptInjectionDetector({ model: down, ...strict })],
    ['language', new LanguageDetector({ model: down, targetLanguages: ['English'], ...strict })],
  ])('of %s pass nothing if their model is down', async (_, detector) => {
    const inner = new ScriptedModel(['Fine.'])
    const outcome = await new Agent({ model: inner, processors: [mastraProcessor(detector)] })
      .generate('Write to ann@example.com, please, at once')
      .catch((error: unknown) => error)
    expect(inner.callCount).toBe(0)
    expect((outcome as { status?: string }).status ?? 'failed').toMatch(/tripwire|failed/)
  })

  test('are called once per answer, not per chunk', async () => {
    const asked = new ScriptedModel(() => JSON.stringify({ category_scores: [], reason: null }))
    const moderation = new ModerationProcessor({ model: asked as never, ...strict })
    const chunks = Array.from({ length: 50 }, (_, index) => `word ${index} `)
    const result = await new Agent({
      model: new ScriptedModel([text(chunks)]),
      outputProcessors: [mastraProcessor(moderation)],
    }).generate('Hi')
    expect(result.text).toBe(chunks.join(''))
    expect(asked.callCount).toBeLessThanOrEqual(2)
  })
})

describe('a processor', () => {
  const run = (published: object, turns: ConstructorParameters<typeof ScriptedModel>[0] = ['Fine.']) =>
    new Agent({ model: new ScriptedModel(turns), processors: [mastraProcessor(published)] }).generate('Hi')

  test('that throws in any hook fails the run', async () => {
    for (const hook of [
      'processInput',
      'processInputStep',
      'processLLMRequest',
      'processOutputStream',
      'processOutputStep',
      'processOutputResult',
    ]) {
      const broken = {
        id: 'broken',
        [hook]: () => {
          throw new Error('broken')
        },
      }
      await expect(run(broken), hook).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    }
  })

  test('that catches its own abort still aborts', async () => {
    const catches = {
      id: 'catches',
      processInput({ abort, messages }: { abort: (reason: string) => never; messages: unknown[] }) {
        try {
          abort('No.')
        } catch {
          return messages
        }
      },
    }
    expect(await run(catches)).toMatchObject({ status: 'tripwire', rejection: { reason: 'No.' } })
  })

  test('sees and changes the result of a tool', async () => {
    type Part = { type: string; toolInvocation?: { toolCallId: string; result?: unknown } }
    const redacts = {
      id: 'redacts',
      processToolResult({
        messageList,
        toolCallId,
      }: {
        messageList: { get: { all: { db(): { content: { parts: Part[] } }[] } } }
        toolCallId: string
      }) {
        for (const { content } of messageList.get.all.db())
          for (const part of content.parts)
            if (part.toolInvocation?.toolCallId === toolCallId) part.toolInvocation.result = 'gone'
        return messageList
      },
    }
    const inner = new ScriptedModel([[toolCall('look', {})], 'Done.'])
    const agent = new Agent({
      model: inner,
      processors: [mastraProcessor(redacts)],
      tools: { look: { inputSchema: z.object({}), execute: () => 'secret' } },
    })
    expect((await agent.generate('Hi')).text).toBe('Done.')
    expect(JSON.stringify(inner.lastPrompt)).not.toContain('secret')
    expect(JSON.stringify(inner.lastPrompt)).toContain('gone')
  })

  test('that returns an unsupported value fails the run', async () => {
    await expect(run({ id: 'x', processInputStep: () => ({ structuredOutput: {} }) })).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
    })
    await expect(run({ id: 'x', processLLMRequest: () => ({ response: {} }) })).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
    })
    await expect(
      run({ id: 'x', processOutputStream: () => ({ type: 'other', payload: {} }) }),
    ).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  })

  test('reads the request context as in Mastra', async () => {
    const seen: unknown[] = []
    const reads = {
      id: 'reads',
      processInput({
        requestContext,
        messageList,
      }: {
        requestContext: { getRaw(key: string): unknown; get(key: string): unknown }
        messageList: unknown
      }) {
        seen.push(requestContext.get('plan'), requestContext.getRaw('plan'))
        return messageList
      },
    }
    const { RequestContext } = await import('@millrace/core')
    await new Agent({ model: new ScriptedModel(['x']), processors: [mastraProcessor(reads)] }).generate(
      'Hi',
      {
        requestContext: new RequestContext({ plan: 'free' }),
      },
    )
    expect(seen).toEqual(['free', 'free'])
  })
})

describe('a redactor of Mastra that changes a whole answer', () => {
  type List = { get: { all: { db(): Said[] }; response: { db(): Said[] } } }
  interface Said {
    role: string
    content: { parts: { type: string; text?: string }[] }
  }
  const redact = (messages: Said[], messageList: unknown): unknown => {
    for (const { role, content } of messages) {
      if (role !== 'assistant') continue
      for (const part of content.parts) if (part.text) part.text = part.text.replaceAll('SECRET', '[R]')
    }
    return messageList
  }
  const inStep = {
    id: 'in-step',
    processOutputStep: ({ messageList }: { messageList: List }) =>
      redact(messageList.get.all.db(), messageList),
  }
  const inResult = {
    id: 'in-result',
    processOutputResult: ({ messageList }: { messageList: List }) =>
      redact(messageList.get.response.db(), messageList),
  }
  const agent = (redactor: object, emit: 'live' | 'step') =>
    new Agent({ model: new ScriptedModel(['It is SECRET.']), emit, processors: [mastraProcessor(redactor)] })

  test.each(['live', 'step'] as const)('in a step is waited for by textStream: emit %s', async (emit) => {
    let said = ''
    for await (const piece of agent(inStep, emit).stream('Hi').textStream) said += piece
    expect(said).toBe('It is [R].')
  })

  test('in the result is waited for with emit step, and ends textStream with an error otherwise', async () => {
    let said = ''
    for await (const piece of agent(inResult, 'step').stream('Hi').textStream) said += piece
    expect(said).toBe('It is [R].')
    const run = agent(inResult, 'live').stream('Hi')
    await expect(
      (async () => {
        for await (const _ of run.textStream);
      })(),
    ).rejects.toMatchObject({ code: 'RUN_TEXT_RETRACTED' })
  })
})

test('translates maxTokens of a processor into maxOutputTokens, and back', async () => {
  const seen: unknown[] = []
  const limit = {
    id: 'limit',
    processInputStep({ modelSettings }: { modelSettings?: { maxTokens?: number } }) {
      seen.push(modelSettings?.maxTokens)
      return { modelSettings: { ...modelSettings, maxTokens: 7 } }
    },
  }
  const model = new ScriptedModel(['Hi.'])
  const processors = [mastraProcessor(limit as never)]
  await new Agent({ model, modelSettings: { maxOutputTokens: 50 }, processors }).generate('Hello')
  expect(seen).toEqual([50])
  expect(model.calls[0]?.maxOutputTokens).toBe(7)
})
