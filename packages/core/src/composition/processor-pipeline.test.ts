import { collect, ScriptedModel, text, textOf } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import { HOOK_NAMES } from '../hook-name.ts'
import type { Message } from '../messages/message.ts'
import type { ModelRequest } from '../model/model-request.ts'
import type { Processor } from '../processors/processor.ts'
import { RequestContext } from '../request-context.ts'
import type { Chunk } from '../results/chunk.ts'
import { Halt, Suspend, TripWire } from '../signals.ts'
import { emptyUsage } from '../usage.ts'
import { parallel } from './parallel.ts'
import { ProcessorPipeline } from './processor-pipeline.ts'

expect.extend(matchers)

function hide(secret: string): (args: { messages: Message[] }) => Message[] {
  return ({ messages }) =>
    messages.map((message) => ({
      ...message,
      content: {
        parts: message.content.parts.map((part) =>
          part.type === 'text' ? { ...part, text: part.text.replaceAll(secret, '***') } : part,
        ),
      },
    }))
}

const shouts: Processor = {
  id: 'shouts',
  processOutputStream: ({ part }) =>
    part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.toUpperCase() } : part,
}

const response = (...deltas: string[]): Chunk[] => [
  { type: 'text-start', id: 't' },
  ...deltas.map((textDelta) => ({ type: 'text-delta', id: 't', textDelta }) as const),
  { type: 'text-end', id: 't' },
]

const call = (toolName: string) => ({ toolCallId: toolName, toolName, input: { city: 'Oslo' } })

describe('a pipeline', () => {
  test('counts its processors, and refuses what an agent refuses', () => {
    const pipeline = new ProcessorPipeline([shouts])
    expect(pipeline.length).toBe(1)
    expect(pipeline.add({ id: 'b', processInput: () => {} }, { id: 'c', processInput: () => {} })).toBe(
      pipeline,
    )
    expect(pipeline.length).toBe(3)
    expect(() => pipeline.add(shouts)).toThrow(expect.objectContaining({ code: 'CONFIG_ID_DUPLICATE' }))
    expect(pipeline.length).toBe(3)
    expect(() => new ProcessorPipeline([{ id: 'idle' }])).toThrow(
      expect.objectContaining({ code: 'CONFIG_HOOK_MISSING' }),
    )
  })

  test('has a method for every hook', () => {
    const pipeline = new ProcessorPipeline()
    for (const hook of HOOK_NAMES) expect(pipeline[hook]).toBeTypeOf('function')
  })

  test('without processors changes nothing', async () => {
    const pipeline = new ProcessorPipeline()
    expect((await pipeline.processInput('Hi')).messages).toHaveLength(1)
    expect(textOf(await collect(pipeline.processOutputStream(response('a', 'b'))))).toBe('ab')
    expect(await pipeline.processOutputStep()).toMatchObject({ text: 'ab', continue: [] })
    expect(await pipeline.processOutputResult()).toMatchObject({ text: 'ab' })
    expect(await pipeline.processDelivery({ type: 'step-start', stepNumber: 0 })).toHaveLength(1)
  })

  test('keeps state, transcript, records and warnings for one run', async () => {
    const seen: unknown[] = []
    const counts: Processor = {
      id: 'counts',
      processInput: ({ state }) => {
        state.count = 1
      },
      processOutputResult: ({ state, messages, messageList }) => {
        seen.push(state.count, messages.length, messageList.length)
      },
    }
    const broken: Processor = {
      id: 'broken',
      onError: 'skip',
      processInput: () => {
        throw new Error('broken')
      },
    }
    const pipeline = new ProcessorPipeline([counts, broken])
    await pipeline.processInput('Hi')
    await pipeline.processOutputResult('Hello.')
    expect(seen).toEqual([1, 1, 2])
    expect(pipeline.messageList.length).toBe(2)
    expect(pipeline.processors).toMatchObject([
      { processorId: 'counts', hook: 'processInput' },
      { processorId: 'broken', hook: 'processInput', action: 'failed' },
      { processorId: 'counts', hook: 'processOutputResult' },
    ])
    expect(pipeline.warnings).toMatchObject([{ type: 'processor-skipped', processorId: 'broken' }])
  })

  test('passes on the request context, and what processors write', async () => {
    const written: unknown[] = []
    const notes: Processor = {
      id: 'notes',
      processInput: async ({ requestContext, writer }) => {
        await writer.write({ type: 'data-plan', data: requestContext.get('plan') })
      },
      processOutputStream: async ({ part, writer }) => {
        if (part.type === 'text-end') await writer.write({ type: 'data-end', data: 1 })
        return part
      },
    }
    const pipeline = new ProcessorPipeline([notes], {
      requestContext: new RequestContext({ plan: 'free' }),
      onData: (chunk) => written.push(chunk),
    })
    await pipeline.processInput('Hi')
    expect(written).toEqual([{ type: 'data-plan', data: 'free' }])
    expect(await collect(pipeline.processOutputStream(response('a')))).toContainEqual({
      type: 'data-end',
      data: 1,
    })
  })

  test('rejects with the reason of its abortSignal', async () => {
    const controller = new AbortController()
    const waits: Processor = {
      id: 'waits',
      processInput: ({ abortSignal }) =>
        new Promise((_, reject) => {
          abortSignal.addEventListener('abort', () => reject(abortSignal.reason))
          controller.abort(new Error('Enough.'))
        }),
    }
    const pipeline = new ProcessorPipeline([waits], { abortSignal: controller.signal })
    await expect(pipeline.processInput('Hi')).rejects.toThrow('Enough.')
  })
})

describe('what an agent reports as a status is thrown', () => {
  const input = (processInput: NonNullable<Processor['processInput']>) =>
    new ProcessorPipeline([{ id: 'guard', processInput }]).processInput('Hi')

  test('a tripwire, with its processor and hook', async () => {
    const error = await input(({ abort }) => abort('No.', { metadata: 7 })).catch((thrown: unknown) => thrown)
    expect(TripWire.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ reason: 'No.', metadata: 7, processorId: 'guard', hook: 'processInput' })
  })

  test('a halt and a suspension', async () => {
    await expect(input(({ halt }) => halt('Instead.'))).rejects.toSatisfy(Halt.isInstance)
    await expect(input(({ suspend }) => suspend('Sure?'))).rejects.toSatisfy(Suspend.isInstance)
  })

  test('in a stream, after which the response is gone from the transcript', async () => {
    const guard: Processor = {
      id: 'guard',
      processOutputStream: ({ part, abort }) =>
        part.type === 'text-delta' && part.textDelta === 'bad' ? abort('No.', { retry: true }) : part,
    }
    const pipeline = new ProcessorPipeline([guard])
    const seen: Chunk[] = []
    const reading = (async () => {
      for await (const chunk of pipeline.processOutputStream(response('fine', 'bad', 'more')))
        seen.push(chunk)
    })()
    await expect(reading).rejects.toMatchObject({ reason: 'No.', retry: true })
    expect(textOf(seen)).toBe('fine')
    expect(pipeline.messageList.length).toBe(0)
    expect(textOf(await collect(pipeline.processOutputStream(response('better'))))).toBe('better')
    expect(await pipeline.processOutputResult()).toMatchObject({ text: 'better' })
  })

  test('and an error as usual', async () => {
    const failing = input(() => {
      throw new Error('broken')
    })
    await expect(failing).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  })
})

describe('each hook', () => {
  test('processInput and processInputStep return the settings of the model call', async () => {
    const redacts: Processor = { id: 'redacts', processInput: hide('secret') }
    const routes: Processor = {
      id: 'routes',
      processInputStep: ({ stepNumber, systemMessages }) => ({
        systemMessages: [...systemMessages, { role: 'system', content: `Step ${stepNumber}.` }],
        modelSettings: { temperature: 0 },
      }),
    }
    const pipeline = new ProcessorPipeline([redacts, routes], {
      model: new ScriptedModel([], { modelId: 'm' }),
    })
    const { messages } = await pipeline.processInput('My secret.', {
      systemMessages: [{ role: 'system', content: 'Be brief.' }],
    })
    expect(messages[0]?.content.parts).toMatchObject([{ text: 'My ***.' }])
    const step = await pipeline.processInputStep()
    expect(step).toMatchObject({
      messages: [{ content: { parts: [{ text: 'My ***.' }] } }],
      systemMessages: [{ content: 'Be brief.' }, { content: 'Step 0.' }],
      modelSettings: { temperature: 0 },
      model: { modelId: 'm' },
    })
    await collect(pipeline.processOutputStream(response('a')))
    expect((await pipeline.processInputStep()).systemMessages.at(-1)?.content).toBe('Step 1.')
  })

  test('processOutputStream adds the step marks, and passes and writes the response', async () => {
    const pipeline = new ProcessorPipeline([shouts])
    const usage = { ...emptyUsage(), outputTokens: 2 }
    const chunks = await collect(
      pipeline.processOutputStream([
        ...response('ab', 'cd'),
        { type: 'step-finish', stepNumber: 0, finishReason: 'length', usage },
      ]),
    )
    expect(chunks).toHaveChunkTypes(['step-start', 'text-start', 'text-delta', 'text-end', 'step-finish'], {
      mergeDeltas: true,
    })
    expect(chunks.at(-1)).toMatchObject({ finishReason: 'length', usage: { outputTokens: 2 } })
    expect(textOf(chunks)).toBe('ABCD')
    expect((await pipeline.processOutputResult()).messages[0]?.content.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'ABCD' },
    ])
  })

  test('processOutputStream passes chunks one by one, calls included', async () => {
    const pulled: string[] = []
    async function* source(): AsyncGenerator<Chunk> {
      for (const chunk of [...response('a'), call] as Chunk[]) {
        pulled.push(chunk.type)
        yield chunk
      }
    }
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'pay', input: { amount: 7 } } as const
    const pipeline = new ProcessorPipeline([{ ...shouts, processOutputStep: () => {} }])
    for await (const chunk of pipeline.processOutputStream(source())) {
      if (chunk.type === 'text-delta') expect(pulled).toEqual(['text-start', 'text-delta'])
      if (chunk.type === 'tool-call') expect(chunk).toEqual(call)
    }
    expect((await pipeline.processOutputStep()).toolCalls).toMatchObject([{ toolName: 'pay' }])
  })

  test('wrapModelCall wraps the given call, or the model of the request', async () => {
    const wraps: Processor = {
      id: 'wraps',
      wrapModelCall: async function* ({ request, next }) {
        for await (const chunk of next(request))
          yield chunk.type === 'text-delta' ? { ...chunk, textDelta: `<${chunk.textDelta}>` } : chunk
      },
    }
    const request: ModelRequest = {
      model: new ScriptedModel([text(['x'])]),
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      tools: {},
      toolChoice: undefined,
      modelSettings: {},
      providerOptions: undefined,
      structuredOutput: undefined,
    }
    const pipeline = new ProcessorPipeline([wraps])
    expect(textOf(await collect(pipeline.wrapModelCall(request)))).toBe('<x>')
    async function* next(): AsyncGenerator<Chunk> {
      yield* response('y')
    }
    expect(textOf(await collect(pipeline.wrapModelCall(request, next)))).toBe('<y>')
  })

  test('processOutputStep takes a response that was not streamed', async () => {
    const trims: Processor = {
      id: 'trims',
      processOutputStep: ({ toolCalls, text: said }) =>
        said === 'Let me pay.' ? { toolCalls: toolCalls.slice(0, 1) } : { continue: 'Go on.' },
    }
    const call = (toolCallId: string) => ({ toolCallId, toolName: 'pay', input: {} })
    const left = await new ProcessorPipeline([trims]).processOutputStep({
      text: 'Let me pay.',
      toolCalls: [call('a'), call('b')],
    })
    expect(left.toolCalls).toEqual([call('a')])
    const next = await new ProcessorPipeline([trims]).processOutputStep({ text: 'Well.' })
    expect(next.continue).toMatchObject([{ role: 'user', content: { parts: [{ text: 'Go on.' }] } }])
  })

  test('processExecution changes the input and output of a tool', async () => {
    const pipeline = new ProcessorPipeline([
      { id: 'signs', processExecution: ({ direction, value }) => ({ value: `${direction}:${value}` }) },
    ])
    expect(await pipeline.processExecution(call('look'), 'in', { value: 1 })).toBe('in:1')
    expect(await pipeline.processExecution(call('look'), 'out', { value: 2 })).toBe('out:2')
    expect(pipeline.processors).toMatchObject([{ hook: 'processExecution', action: 'changed', calls: 2 }])
  })

  test('processToolResult reviews a result each time it is passed', async () => {
    const pipeline = new ProcessorPipeline([
      { id: 'shouts', processToolResult: ({ output }) => ({ output: String(output).toUpperCase() }) },
    ])
    for (const output of ['rain', 'snow']) {
      const result = await pipeline.processToolResult({ ...call('look'), status: 'success', output })
      expect(result).toMatchObject({ output: output.toUpperCase() })
    }
  })

  test('processToolCall, processToolResult and processToolStep decide on calls', async () => {
    const guard: Processor = {
      id: 'guard',
      processToolCall: ({ toolCall: { toolName } }) => {
        if (toolName === 'pay') return { deny: 'Not today.' }
        return toolName === 'look' ? { input: { city: 'Rome' } } : { output: 'known' }
      },
      processToolResult: ({ output }) => ({ output: String(output).toUpperCase() }),
      processToolStep: ({ toolResults }) =>
        toolResults.length > 1 ? { finish: true, text: 'That will do.' } : undefined,
    }
    const pipeline = new ProcessorPipeline([guard])
    expect(await pipeline.processToolCall(call('pay'))).toEqual({ deny: 'Not today.' })
    expect(await pipeline.processToolCall(call('look'))).toEqual({ input: { city: 'Rome' } })
    expect(await pipeline.processToolCall(call('recall'))).toEqual({ output: 'known' })
    const result = await pipeline.processToolResult({ ...call('look'), status: 'success', output: 'rain' })
    expect(result).toEqual({ ...call('look'), status: 'success', output: 'RAIN' })
    expect(await pipeline.processToolStep([result])).toBeUndefined()
    expect(await pipeline.processToolStep([result, result])).toEqual({
      finish: true,
      text: 'That will do.',
    })
  })

  test('processOutputResult returns the text of the transcript', async () => {
    const pipeline = new ProcessorPipeline([{ id: 'redacts', processOutputResult: hide('secret') }])
    expect(await pipeline.processOutputResult('My secret.')).toMatchObject({
      text: 'My ***.',
      messages: [{ role: 'assistant' }],
    })
  })

  test('processModelError returns the request of another attempt', async () => {
    const pipeline = new ProcessorPipeline([
      { id: 'falls-back', processModelError: () => ({ retry: true, request: { model: 'b/other' } }) },
    ])
    const request = { model: 'a/first', prompt: [] } as unknown as ModelRequest
    expect(await pipeline.processModelError(new Error('Down.') as never, request)).toMatchObject({
      model: 'b/other',
    })
  })

  test('processDelivery changes only the chunks and results for the caller', async () => {
    const pipeline = new ProcessorPipeline([
      {
        id: 'presents',
        processDelivery: ({ part, result }) =>
          result ? { ...result, text: 'shown' } : part.type === 'text-delta' ? [part, part] : null,
      },
    ])
    const chunks = await collect(pipeline.processOutputStream(response('a')))
    expect(textOf(chunks)).toBe('a')
    const delta = { type: 'text-delta', id: 't', textDelta: 'a' } as const
    expect(await pipeline.processDelivery(delta)).toEqual([delta, delta])
    const result = await new Agent({ model: new ScriptedModel(['Hello.']) }).generate('Hi')
    expect((await pipeline.processDelivery(result)).text).toBe('shown')
  })
})

test('gives the same result as an agent, for the same processors and the same response', async () => {
  const processors = (): Processor[] => [
    { id: 'input', processInput: hide('secret') },
    parallel(shouts, { id: 'quiet', processOutputStream: async ({ part }) => part }),
    { id: 'result', processOutputResult: hide('WORD') },
  ]
  const model = new ScriptedModel([text(['a word ', 'or two'])])
  const agent = await new Agent({ model, processors: processors() }).generate('My secret.')
  const pipeline = new ProcessorPipeline(processors())
  await pipeline.processInput('My secret.')
  await collect(pipeline.processOutputStream(response('a word ', 'or two')))
  const { text: answer, messages } = await pipeline.processOutputResult()
  expect(answer).toBe(agent.text)
  expect(messages.map(({ content }) => content.parts)).toEqual(
    agent.messages.map(({ content }) => content.parts),
  )
  expect(pipeline.processors.map(({ processorId, hook, action }) => [processorId, hook, action])).toEqual(
    agent.processors.map(({ processorId, hook, action }) => [processorId, hook, action]),
  )
})
