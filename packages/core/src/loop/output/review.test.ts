import { collect, finish, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions, RunOptions } from '../../agent/agent-options.ts'
import { userMessage } from '../../messages/input.ts'
import { isToolPart, type Message } from '../../messages/message.ts'
import type { ProcessOutputStepArgs } from '../../processors/output-hooks.ts'
import type { Processor } from '../../processors/processor.ts'
import type { Chunk } from '../../results/chunk.ts'
import { tool } from '../../tools/tool.ts'
import { MessageList } from '../../transcript/message-list.ts'

expect.extend(matchers)

async function run(turns: any[], options: Partial<AgentOptions>, runOptions: RunOptions = {}) {
  const model = new ScriptedModel(turns)
  const stream = new Agent({ model, ...options }).stream('Hello', runOptions)
  const chunks = await collect(stream.fullStream)
  return { model, chunks, result: await stream.result }
}

function withText(message: Message, text: string): Message {
  return {
    ...message,
    content: {
      ...message.content,
      parts: message.content.parts.map((part) => (part.type === 'text' ? { ...part, text } : part)),
    },
  }
}

function ofType<TYPE extends Chunk['type']>(chunks: readonly Chunk[], type: TYPE) {
  return chunks.filter((chunk): chunk is Extract<Chunk, { type: TYPE }> => chunk.type === type)
}

const emits = ['live', 'step'] as const

describe('processOutputStep', () => {
  const inputs: unknown[] = []
  const tools = {
    echo: tool({
      inputSchema: z.object({ say: z.string() }),
      execute: (input) => {
        inputs.push(input)
        return `echo ${input.say}`
      },
    }),
  }

  test('receives the whole response before any tool runs', async () => {
    inputs.length = 0
    let seen: ProcessOutputStepArgs | undefined
    let ran: number | undefined
    await run([['Let me see. ', toolCall('echo', { say: 'a' })], 'Done.'], {
      tools,
      instructions: 'Be brief.',
      processors: [
        {
          id: 'looker',
          processOutputStep: (args) => {
            if (args.stepNumber > 0) return
            seen = { ...args }
            ran = inputs.length
          },
        },
      ],
    })
    expect(ran).toBe(0)
    expect(seen).toMatchObject({
      stepNumber: 0,
      finishReason: 'tool-calls',
      text: 'Let me see. ',
      toolCalls: [{ toolCallId: 'call-1', toolName: 'echo', input: { say: 'a' } }],
      usage: { totalTokens: 15 },
      retryCount: 0,
      systemMessages: [{ role: 'system', content: 'Be brief.' }],
    })
    expect(seen?.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test.each(emits)(
    'removes and rewrites calls; stream, transcript and tools agree: emit %s',
    async (emit) => {
      inputs.length = 0
      const calls = ['a', 'b', 'c'].map((say) => toolCall('echo', { say }, { streamInput: false }))
      const { model, chunks, result } = await run([['Three. ', ...calls], 'Done.'], {
        tools,
        emit,
        processors: [
          {
            id: 'trimmer',
            processOutputStep: ({ toolCalls }) => {
              const [first, second] = toolCalls
              return first && second ? { toolCalls: [first, { ...second, input: { say: 'B' } }] } : undefined
            },
          },
        ],
      })
      expect(inputs).toEqual([{ say: 'a' }, { say: 'B' }])
      expect(ofType(chunks, 'tool-call').map(({ input }) => input)).toEqual([{ say: 'a' }, { say: 'B' }])
      expect(ofType(chunks, 'tool-result').map(({ output }) => output)).toEqual(['echo a', 'echo B'])
      expect(result.steps[0]?.toolCalls.map(({ input }) => input)).toEqual([{ say: 'a' }, { say: 'B' }])
      expect(JSON.stringify(result.messages)).not.toContain('call-3')
      expect(model.lastPrompt).toPairEveryToolCall()
      expect(JSON.stringify(model.lastPrompt)).not.toContain('call-3')
    },
  )

  test('passes the calls to the next processor as the previous one left them', async () => {
    inputs.length = 0
    const seen: unknown[] = []
    await run([[toolCall('echo', { say: 'a' }), toolCall('echo', { say: 'b' })], 'Done.'], {
      tools,
      processors: [
        { id: 'first', processOutputStep: ({ toolCalls }) => ({ toolCalls: toolCalls.slice(0, 1) }) },
        {
          id: 'second',
          processOutputStep: ({ toolCalls }) => {
            seen.push(toolCalls.map(({ input }) => input))
          },
        },
      ],
    })
    expect(seen).toEqual([[{ say: 'a' }], []])
  })

  test('runs a call with the input that was edited in its message', async () => {
    inputs.length = 0
    await run([toolCall('echo', { say: 'a' }), 'Done.'], {
      tools,
      processors: [
        {
          id: 'editor',
          processOutputStep: ({ messageList }) => {
            for (const { content } of messageList) {
              for (const part of content.parts) if (isToolPart(part)) part.input = { say: 'B' }
            }
            return messageList
          },
        },
      ],
    })
    expect(inputs).toEqual([{ say: 'B' }])
  })

  test('ends the loop when it removes every call', async () => {
    inputs.length = 0
    const { model, result } = await run([['Text. ', toolCall('echo', { say: 'a' })], 'unused'], {
      tools,
      processors: [{ id: 'none', processOutputStep: () => ({ toolCalls: [] }) }],
    })
    expect(inputs).toEqual([])
    expect(model.callCount).toBe(1)
    expect(result).toBeCompleted()
    expect(result.messages).toPairEveryToolCall()
  })

  test('validates a rewritten input again', async () => {
    inputs.length = 0
    const { result } = await run([toolCall('echo', { say: 'a' }), 'Done.'], {
      tools,
      processors: [
        {
          id: 'breaker',
          processOutputStep: ({ toolCalls }) => ({
            toolCalls: toolCalls.map((call) => ({ ...call, input: { say: 7 } })),
          }),
        },
      ],
    })
    expect(inputs).toEqual([])
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error' }])
  })

  test('can repair a call whose input was not JSON', async () => {
    inputs.length = 0
    await run([toolCall('echo', {}, { rawInput: '{"say":"a"' }), 'Done.'], {
      tools,
      processors: [
        {
          id: 'repair',
          processOutputStep: ({ toolCalls }) => ({
            toolCalls: toolCalls.map((call) => ({ ...call, input: { say: 'repaired' } })),
          }),
        },
      ],
    })
    expect(inputs).toEqual([{ say: 'repaired' }])
  })

  test('cannot add a call that the model did not make', async () => {
    await expect(
      run([toolCall('echo', { say: 'a' })], {
        tools,
        processors: [
          {
            id: 'adder',
            processOutputStep: () => ({ toolCalls: [{ toolCallId: 'new', toolName: 'echo', input: {} }] }),
          },
        ],
      }),
    ).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID', message: expect.stringContaining("'new'") })
  })

  test.each(emits)('keeps the answer and continues with a message: emit %s', async (emit) => {
    const { model, chunks, result } = await run(['Short.', 'Longer.'], {
      emit,
      processors: [
        {
          id: 'more',
          processOutputStep: ({ stepNumber }) => (stepNumber === 0 ? { continue: 'Say more.' } : undefined),
        },
      ],
    })
    expect(result).toBeCompleted()
    expect(result.steps.map((step) => step.text)).toEqual(['Short.', 'Longer.'])
    expect(model.lastPrompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Short.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Say more.' }] },
    ])
    expect(textOf(chunks)).toBe('Short.Longer.')
    expect(result.messages.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant'])
  })

  test('continues with the message after the results of the step', async () => {
    const { model } = await run([toolCall('echo', { say: 'a' }), 'Done.'], {
      tools,
      processors: [
        {
          id: 'more',
          processOutputStep: ({ stepNumber }) =>
            stepNumber === 0 ? { continue: userMessage('And quickly.') } : undefined,
        },
      ],
    })
    expect(model.lastPrompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(model.lastPrompt).toPairEveryToolCall()
  })

  test('continuing counts as steps, up to the limit', async () => {
    const { result } = await run(['1', '2', '3'], {
      maxSteps: 3,
      processors: [{ id: 'more', processOutputStep: () => ({ continue: 'More.' }) }],
    })
    expect(result).toHaveStatus('limit')
    expect(result.steps).toHaveLength(3)
  })

  test('merges returned messages by id and keeps the others', async () => {
    const { model, chunks, result } = await run([['Secret. ', toolCall('echo', { say: 'a' })], 'Done.'], {
      tools,
      processors: [
        {
          id: 'redactor',
          processOutputStep: ({ messages }) =>
            messages.slice(-1).map((message) => withText(message, 'Redacted. ')),
        },
      ],
      maxSteps: 1,
    })
    expect(model.callCount).toBe(1)
    expect(result.steps[0]?.text).toBe('Redacted. ')
    expect(result.messages).toLeakNothingOf('Secret')
    expect(result).toLeakNothingOf('Secret')
    expect(ofType(chunks, 'response-replaced')).toHaveLength(1)
  })

  test.each([[[]], [undefined], [null]])('changes nothing by returning %j', async (nothing) => {
    const { chunks, result } = await run(['Hello.'], {
      processors: [{ id: 'idle', processOutputStep: () => nothing as never }],
    })
    expect(result).toHaveText('Hello.')
    expect(ofType(chunks, 'response-replaced')).toEqual([])
  })

  test.each([
    ['another MessageList', new MessageList()],
    ['a string', 'Hello'],
    ['a number', 7],
  ])('fails the run on %s', async (_, value) => {
    await expect(
      run(['Hello.'], { processors: [{ id: 'faulty', processOutputStep: () => value as never }] }),
    ).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
  })

  test("emits only its changes with emit 'step'", async () => {
    const { chunks } = await run([text('Secret text.')], {
      emit: 'step',
      processors: [
        {
          id: 'redactor',
          processOutputStep: ({ messages }) => messages.map((message) => withText(message, 'Redacted.')),
        },
      ],
    })
    expect(chunks).toLeakNothingOf('Secret')
    expect(textOf(chunks)).toBe('Redacted.')
    expect(ofType(chunks, 'response-replaced')).toEqual([])
  })
})

describe('processOutputResult', () => {
  const replace = (text: string): Processor => ({
    id: 'replacer',
    processOutputResult: ({ messages }) => messages.map((message) => withText(message, text)),
  })
  const replaceInPlace = (text: string): Processor => ({
    id: 'replacer',
    processOutputResult: ({ messages, messageList }) => {
      for (const { content } of messages)
        for (const part of content.parts) if (part.type === 'text') part.text = text
      return messageList
    },
  })

  test.each([
    ['returned messages', replace('Redacted.')],
    ['edits in place', replaceInPlace('Redacted.')],
  ])('reaches every accessor, and the reader is told: %s', async (_, processor) => {
    const { chunks, result } = await run(['Secret text.'], { processors: [processor] })
    expect(result).toHaveText('Redacted.')
    expect(result.steps[0]?.text).toBe('Redacted.')
    expect(result).toLeakNothingOf('Secret')
    expect(ofType(chunks, 'response-replaced')).toEqual([
      { type: 'response-replaced', messages: result.messages, text: 'Redacted.' },
    ])
    expect(chunks.slice(-2)).toHaveChunkTypes(['response-replaced', 'finish'])
  })

  test.each([
    ['returned messages', replace('Redacted.')],
    ['edits in place', replaceInPlace('Redacted.')],
  ])("emits no original text of the last step with emit 'step': %s", async (_, processor) => {
    const { chunks, result } = await run(['Secret text.'], { processors: [processor], emit: 'step' })
    expect(chunks).toLeakNothingOf('Secret')
    expect(textOf(chunks)).toBe('Redacted.')
    expect(ofType(chunks, 'response-replaced')).toEqual([])
    expect(result).toHaveText('Redacted.')
  })

  test('changes earlier steps too', async () => {
    const { result } = await run([['Secret one. ', toolCall('look')], 'Secret two.'], {
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'Secret result' }) },
      processors: [
        {
          id: 'redactor',
          processOutputResult: ({ messages }) => {
            for (const { content } of messages) {
              for (const part of content.parts) {
                if (part.type === 'text') part.text = part.text.replace('Secret', 'Some')
                if ('output' in part && part.state === 'output-available') part.output = 'Some result'
              }
            }
          },
        },
      ],
    })
    expect(result.steps.map(({ text }) => text)).toEqual(['Some one. ', 'Some two.'])
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 'Some result' }])
    expect(result).toLeakNothingOf('Secret')
  })

  test('receives only the response, its outcome, and what the previous processors left', async () => {
    const seen: unknown[] = []
    await run([['One. ', toolCall('look')], 'Two.'], {
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
      processors: [
        {
          id: 'first',
          processOutputResult: ({ messages }) => messages.map((message) => withText(message, 'New.')),
        },
        {
          id: 'second',
          processOutputResult: ({ messages, result }) => {
            seen.push(
              messages.map(({ role }) => role),
              result.text,
              result.finishReason,
              result.usage.totalTokens,
            )
            seen.push(result.steps.map(({ text }) => text))
          },
        },
      ],
    })
    expect(seen).toEqual([['assistant'], 'New.', 'stop', 30, ['New.', 'New.']])
  })

  test('returning an empty list changes nothing', async () => {
    const { chunks, result } = await run(['Hello.'], {
      processors: [{ id: 'idle', processOutputResult: () => [] }],
    })
    expect(result).toHaveText('Hello.')
    expect(result.messages).toHaveLength(1)
    expect(chunks).toHaveChunkTypes(
      ['start', 'step-start', 'text-start', 'text-delta', 'text-end', 'step-finish', 'finish'],
      { mergeDeltas: true },
    )
  })

  test('removes a message by messageList.remove, from every accessor', async () => {
    const { result } = await run(['Secret text.'], {
      processors: [
        {
          id: 'remover',
          processOutputResult: ({ messages, messageList }) =>
            messageList.remove(messages.map(({ id }) => id)),
        },
      ],
    })
    expect(result.messages).toEqual([])
    expect(result.text).toBe('')
    expect(result).toLeakNothingOf('Secret')
  })

  test('adds messages with new ids to the response', async () => {
    const { result } = await run(['Hello.'], {
      processors: [
        {
          id: 'adder',
          processOutputResult: () => [{ ...userMessage('Disclaimer.'), role: 'assistant' }],
        },
      ],
    })
    expect(result.messages.map(({ content }) => content.parts.at(-1))).toMatchObject([
      { text: 'Hello.' },
      { text: 'Disclaimer.' },
    ])
    expect(result).toBeCompleted()
  })

  test.each([new MessageList(), 'Hello', 7, { messages: [] }])('fails the run on %j', async (value) => {
    await expect(
      run(['Hello.'], { processors: [{ id: 'faulty', processOutputResult: () => value as never }] }),
    ).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
  })

  test('is called once also when the run ends at its limit', async () => {
    let calls = 0
    const { result } = await run([toolCall('look')], {
      maxSteps: 1,
      tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
      processors: [
        {
          id: 'counter',
          processOutputResult: () => {
            calls++
          },
        },
      ],
    })
    expect(result).toHaveStatus('limit')
    expect(calls).toBe(1)
  })
})

describe('a structured answer', () => {
  const output = z.object({ city: z.string(), warm: z.boolean() })
  const answer = '{"city":"Oslo","warm":false}'

  test('is parsed and validated, and grows in the stream', async () => {
    const { model, chunks, result } = await run([text(answer, { chunkSize: 5 })], {}, { output })
    expect(result.object).toEqual({ city: 'Oslo', warm: false })
    expect(model.lastCall.responseFormat).toMatchObject({
      type: 'json',
      schema: { type: 'object', additionalProperties: false, required: ['city', 'warm'] },
    })
    const deltas = ofType(chunks, 'object-delta')
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.at(-1)?.object).toEqual({ city: 'Oslo', warm: false })
  })

  test('is undefined without an output schema', async () => {
    const { chunks, result } = await run([text(answer)], {})
    expect(result.object).toBeUndefined()
    expect(ofType(chunks, 'object-delta')).toEqual([])
  })

  describe('that processors have made invalid', () => {
    const filters: [string, string, Processor][] = [
      [
        'removed',
        "'filter' in processOutputStream",
        { id: 'filter', processOutputStream: ({ part }) => (part.type === 'text-delta' ? null : part) },
      ],
      [
        'changed',
        "'editor' in processOutputStep",
        {
          id: 'editor',
          processOutputStep: ({ messages }) =>
            messages.map((message) => ({
              ...message,
              content: {
                parts: message.content.parts.map((part) =>
                  part.type === 'text' ? { ...part, text: 'Not for you.' } : part,
                ),
              },
            })),
        },
      ],
      [
        'changed',
        "'last' in processOutputResult",
        {
          id: 'last',
          processOutputResult: ({ messages, messageList }) => {
            for (const { content } of messages)
              for (const part of content.parts) if (part.type === 'text') part.text = '{"city":1}'
            return messageList
          },
        },
      ],
    ]

    test.each(filters)('was %s by %s, says the error', async (verb, name, processor) => {
      const agent = new Agent({ model: new ScriptedModel([text(answer)]), processors: [processor] })
      const error = (await agent.generate('Hello', { output }).catch((error: unknown) => error)) as Error
      expect(error).toMatchObject({ code: 'PROCESSOR_OUTPUT_INVALID' })
      expect(error.message).toContain(`processors have ${verb} it: ${name}`)
      expect(error.message).not.toMatch(/Oslo|use a model/)
    })

    test.each(filters)(
      'is an error of the model if its answer was invalid, %s by %s',
      async (_, __, processor) => {
        const agent = new Agent({ model: new ScriptedModel(['No.']), processors: [processor] })
        await expect(agent.generate('Hello', { output })).rejects.toMatchObject({
          code: 'MODEL_OUTPUT_INVALID',
        })
      },
    )
  })

  test.each([
    ['no JSON', 'Sorry, my secret answer is no.', 'stop'],
    ['JSON of another shape', '{"city":"secret"}', 'stop'],
    ['JSON that was cut off', '{"city":"secr', 'length'],
  ] as const)('that is %s is an error, which does not quote it', async (_, turn, reason) => {
    const model = new ScriptedModel([[text(turn), finish({ reason })]])
    const stream = new Agent({ model }).stream('Hello', { output })
    const chunks = await collect(stream.fullStream)
    const error = (await stream.result.catch((error: unknown) => error)) as Error
    expect(error).toMatchObject({ code: 'MODEL_OUTPUT_INVALID', message: expect.stringContaining(reason) })
    expect(error.message).not.toContain('secr')
    expect(chunks.at(-1)).toMatchObject({ type: 'error', error: { code: 'MODEL_OUTPUT_INVALID' } })
  })

  test('is parsed after processOutputResult', async () => {
    const { result } = await run(
      [text(answer)],
      {
        processors: [
          {
            id: 'replacer',
            processOutputResult: ({ messages, result }) => {
              expect(result.object).toEqual({ city: 'Oslo', warm: false })
              return messages.map((message) => withText(message, '{"city":"[REDACTED]","warm":true}'))
            },
          },
        ],
      },
      { output },
    )
    expect(result.object).toEqual({ city: '[REDACTED]', warm: true })
    expect(result).toLeakNothingOf('Oslo')
  })

  test('can be retried by a processor that finds it invalid', async () => {
    const { chunks, result } = await run(
      ['{"city":7}', text(answer)],
      {
        processors: [
          {
            id: 'checker',
            processOutputResult: ({ result, abort }) => {
              if (result.object === undefined) abort('Follow the schema.', { retry: true })
            },
          },
        ],
      },
      { output },
    )
    expect(result.object).toEqual({ city: 'Oslo', warm: false })
    const discarded = chunks.findIndex(({ type }) => type === 'step-discarded')
    const after = ofType(chunks.slice(discarded), 'object-delta')
    expect(after.at(-1)?.object).toEqual({ city: 'Oslo', warm: false })
  })

  test('is the answer of the last step', async () => {
    const { result } = await run(
      [['{"city":"Rome"', toolCall('look')], text(answer)],
      { tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) } },
      { output },
    )
    expect(result.object).toEqual({ city: 'Oslo', warm: false })
  })
})

test('warnings of the provider are in the result, with their step', async () => {
  const { result } = await run(
    [
      [
        {
          writeTo: (turn: any) =>
            turn.emit({ type: 'stream-start', warnings: [{ type: 'other', message: 'Old model.' }] }),
        },
        'Hi.',
      ],
    ],
    {},
  )
  expect(result.warnings).toContainEqual({
    type: 'model',
    stepNumber: 0,
    warning: { type: 'other', message: 'Old model.' },
  })
})
