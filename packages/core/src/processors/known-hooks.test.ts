import { Agent, type MillraceError, type Processor, parallel, when } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOOK_NAMES } from '../hook-name.ts'

const model = new ScriptedModel([])

function faultOf(action: () => unknown): MillraceError {
  try {
    action()
  } catch (error) {
    return error as MillraceError
  }
  throw new Error('Nothing was thrown.')
}

function refused(processor: object): MillraceError {
  const error = faultOf(() => new Agent({ model, processors: [processor as Processor] }))
  expect(error.code).toBe('CONFIG_HOOK_UNKNOWN')
  return error
}

const passes = { id: 'guard', processInput: () => {} }

describe('a method that looks like a hook but is not one', () => {
  test.each([
    ['a hook of today that Millrace has not', 'processLLMRequest', undefined],
    ['one that is called before every step elsewhere', 'processAPIError', undefined],
    ['a name of the kind', 'processOutputStreamChunk', undefined],
    ['other capitals', 'processToolresult', 'processToolResult'],
    ['no capital at all', 'processinput', 'processInput'],
    ['a letter too many', 'proccessInput', 'processInput'],
    ['a letter too few', 'processOutputStrem', 'processOutputStream'],
    ['a hook around the model call', 'wrapModelCalls', 'wrapModelCall'],
  ])('is refused: %s', (_, name, meant) => {
    const { message } = refused({ ...passes, [name]: () => {} })
    expect(message).toContain("'guard'")
    expect(message).toContain(`'${name}'`)
    expect(message).toContain('#private')
    if (meant) expect(message).toContain(`Did you mean ${meant}?`)
  })

  test('is refused with the current name if the hook was renamed', () => {
    const { message } = refused({ ...passes, processToolResults: () => {} })
    expect(message).toContain("'processToolResults'")
    expect(message).toContain('is named processToolStep now')
  })

  test('is refused where it is inherited', () => {
    class Base {
      id = 'guard'
      processEverything(): void {}
    }
    class Guard extends Base {
      processInput(): void {}
    }
    expect(refused(new Guard()).message).toContain("'processEverything'")
  })

  test.each([
    ['a list of input processors', (entry: Processor) => new Agent({ model, inputProcessors: [entry] })],
    [
      'a placed processor',
      (entry: Processor) => new Agent({ model, processors: [passes, { processor: entry, after: 'guard' }] }),
    ],
    ['a provider', (entry: Processor) => new Agent({ model, memory: { getInputProcessors: () => [entry] } })],
    ['parallel()', (entry: Processor) => parallel(passes, entry)],
    ['when()', (entry: Processor) => when(() => true, entry)],
  ])('is refused in %s', (_, build) => {
    const entry = { id: 'other', processInput: () => {}, processLLMResponse: () => {} } as Processor
    expect(faultOf(() => build(entry)).code).toBe('CONFIG_HOOK_UNKNOWN')
  })

  test('is refused in the processors of a call', async () => {
    const entry = { id: 'other', processInput: () => {}, processLLMResponse: () => {} } as Processor
    const running = new Agent({ model }).generate('Hello', { processors: [entry] })
    await expect(running).rejects.toMatchObject({ code: 'CONFIG_HOOK_UNKNOWN' })
  })
})

describe('a processor with methods and fields of its own', () => {
  test('is accepted', () => {
    class Guard {
      readonly id = 'guard'
      readonly name = 'Guard'
      readonly processed = 0
      readonly processingLimit = 10
      readonly onError = 'fail'
      readonly tools = {}
      #processQueue(): void {}
      process(): void {
        this.#processQueue()
      }
      preprocessInput(): void {}
      onMatch(): void {}
      execute(): void {}
      wrapText(): void {}
      processInput(): void {}
    }
    new Agent({ model, processors: [new Guard()] })
  })

  test('is accepted with any names but those that start with process and a capital, or resemble a hook', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 8 })), (names) => {
        const own = Object.fromEntries(names.map((name) => [`own${name}`, () => {}]))
        new Agent({ model, processors: [{ ...own, ...passes }] })
      }),
    )
  })

  test('is taken with warmUp, which is no hook and alone is not enough', () => {
    new Agent({ model, processors: [{ ...passes, warmUp: () => {} }] })
    const alone = { id: 'alone', warmUp: () => {} } as Processor
    expect(faultOf(() => new Agent({ model, processors: [alone] })).code).toBe('CONFIG_HOOK_MISSING')
  })

  test('is accepted with all hooks', () => {
    const all = Object.fromEntries(HOOK_NAMES.map((hook) => [hook, () => {}]))
    new Agent({ model, processors: [{ id: 'all', ...all }] })
  })

  test('has no getter called', () => {
    const processor = {
      ...passes,
      get processedText(): string {
        throw new Error('read')
      },
      get processText(): string {
        throw new Error('read')
      },
    }
    new Agent({ model, processors: [processor] })
  })
})

describe('an object of another framework', () => {
  /** As the published packages have them: @mastra/core 1.71, langchain 1.5, @openai/agents-core 0.20, ai 7. */
  const method = () => {}
  test.each<[mark: PropertyKey, framework: string, value: unknown]>([
    ['__registerMastra', 'Mastra', method],
    ['computeStateSignal', 'Mastra', method],
    ['processDataParts', 'Mastra', true],
    ['processorIndex', 'Mastra', undefined],
    ['spanType', 'Mastra', 'memory'],
    ['spanAttributes', 'Mastra', {}],
    ['providesSkillDiscovery', 'Mastra', 'on-demand'],
    ['detectionAgent', 'Mastra', {}],
    ['moderationAgent', 'Mastra', {}],
    ['structuringAgent', 'Mastra', {}],
    ['streamCarryoverSize', 'Mastra', 256],
    ['flushBatch', 'Mastra', method],
    ['retainFullInput', 'Mastra', false],
    ['defaultWorkingMemoryTemplate', 'Mastra', ''],
    ['indexValidationCache', 'Mastra', new Map()],
    ['catalogForStep', 'Mastra', method],
    [Symbol.for('AgentMiddleware'), 'LangChain', true],
    ['~middlewareTypes', 'LangChain', undefined],
    ['beforeAgent', 'LangChain', method],
    ['beforeModel', 'LangChain', method],
    ['afterModel', 'LangChain', { hook: method }],
    ['afterAgent', 'LangChain', method],
    ['wrapToolCall', 'LangChain', method],
    ['stateSchema', 'LangChain', {}],
    ['contextSchema', 'LangChain', {}],
    ['runInParallel', 'OpenAI', true],
    ['guardrailFunction', 'OpenAI', method],
    ['tripwireTriggered', 'OpenAI', false],
    ['specificationVersion', 'AI SDK', 'v4'],
    ['transformParams', 'AI SDK', method],
    ['wrapGenerate', 'AI SDK', method],
    ['wrapStream', 'AI SDK', method],
    ['overrideProvider', 'AI SDK', method],
    ['overrideModelId', 'AI SDK', method],
    ['overrideSupportedUrls', 'AI SDK', method],
  ])('is told by %s', (mark, framework, value) => {
    const { message } = refused({ ...passes, [mark]: value })
    expect(message).toContain("'guard'")
    expect(message).toContain(`'${String(mark)}'`)
    expect(message).toContain(framework)
  })

  test('is refused with the name of its adapter, if there is one', () => {
    expect(refused({ ...passes, detectionAgent: {} }).message).toContain('mastraProcessor()')
    expect(refused({ ...passes, wrapStream: () => {} }).message).toContain('modelMiddleware()')
    expect(refused({ ...passes, wrapToolCall: () => {} }).message).toContain('langchainMiddleware()')
    expect(refused({ ...passes, runInParallel: true }).message).toContain('inputGuardrail()')
  })

  test('is named by its class if it has no id', () => {
    const middleware = { name: 'audit', beforeModel: method, wrapModelCall: method }
    const { message } = refused(middleware)
    expect(message).toContain("'audit'")
    expect(message).toContain('LangChain')
  })
})
