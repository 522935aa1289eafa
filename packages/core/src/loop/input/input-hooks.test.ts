import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import { userMessage } from '../../messages/input.ts'
import type { Message } from '../../messages/message.ts'
import type { ProcessInputStepArgs, ProcessInputStepReturn } from '../../processors/input-hooks.ts'
import type { Processor } from '../../processors/processor.ts'
import { tool } from '../../tools/tool.ts'
import { MessageList } from '../../transcript/message-list.ts'

expect.extend(matchers)

const anything = z.object({}).loose()
const look = tool({ inputSchema: anything, execute: () => 'seen' })

/** Runs an agent over `input` and returns the model, which records the prompts. */
async function run(options: Partial<AgentOptions>, turns: any[] = ['Done.'], input: any = 'Hello') {
  const model = new ScriptedModel(turns)
  const result = await new Agent({ model, ...options }).generate(input, { trusted: true })
  return { model, result }
}

function user(content: string) {
  return { role: 'user', content: [{ type: 'text', text: content }] }
}

function system(content: string) {
  return { role: 'system', content }
}

function textOfFirst(message: Message | undefined): string {
  const [part] = message?.content.parts ?? []
  return part?.type === 'text' ? part.text : ''
}

describe('processInput', () => {
  const input = (processInput: Processor['processInput'], id = 'input'): Processor =>
    ({ id, processInput }) as Processor

  test('changes nothing when it returns nothing', async () => {
    const { model } = await run({ instructions: 'Be brief.', processors: [input(() => undefined)] })
    expect(model.lastPrompt).toEqual([system('Be brief.'), user('Hello')])
  })

  test('receives messages without system messages, and system messages separately', async () => {
    let seen: any
    const { model } = await run(
      {
        instructions: 'Be brief.',
        processors: [
          input((args) => {
            seen = { ...args, messages: [...args.messages], systemMessages: [...args.systemMessages] }
          }),
        ],
      },
      ['Done.'],
      [
        { role: 'system', content: 'From the input.' },
        { role: 'user', content: 'Hello' },
      ],
    )
    expect(seen.messages.map(({ role }: Message) => role)).toEqual(['user'])
    expect(seen.systemMessages).toEqual([system('Be brief.'), system('From the input.')])
    expect(seen.retryCount).toBe(0)
    expect(model.lastPrompt).toEqual([system('Be brief.'), system('From the input.'), user('Hello')])
  })

  test('replaces the transcript by a returned array: removes, adds and replaces', async () => {
    const { model } = await run(
      {
        processors: [
          input(({ messages }) => [
            { ...(messages[1] as Message), content: { parts: [{ type: 'text', text: 'replaced' }] } },
            userMessage('added'),
          ]),
        ],
      },
      ['Done.'],
      [user('first'), user('second')],
    )
    expect(model.lastPrompt).toEqual([user('replaced'), user('added')])
  })

  test('moves system messages of a returned array to the system messages', async () => {
    const { model } = await run({
      instructions: 'Be brief.',
      processors: [
        input(({ messages }) => [{ ...userMessage('Also be kind.'), role: 'system' }, ...messages]),
      ],
    })
    expect(model.lastPrompt).toEqual([system('Be brief.'), system('Also be kind.'), user('Hello')])
  })

  test('accepts the same MessageList after an edit in place', async () => {
    const { model } = await run({
      processors: [input(({ messageList }) => messageList.add(userMessage('added'), 'input'))],
    })
    expect(model.lastPrompt).toEqual([user('Hello'), user('added')])
  })

  test('accepts messages, system messages, or both', async () => {
    const { model } = await run({
      instructions: 'Be brief.',
      processors: [
        input(({ messages }) => ({ messages: [...messages, userMessage('added')] }), 'one'),
        input(() => ({ systemMessages: [{ role: 'system', content: 'Be kind.' }] }), 'two'),
      ],
    })
    expect(model.lastPrompt).toEqual([system('Be kind.'), user('Hello'), user('added')])
  })

  test('passes each processor what the previous ones left', async () => {
    const append = (text: string) =>
      input(async ({ messages }) => [userMessage(`${textOfFirst(messages[0])}${text}`)], text)
    const { model } = await run({ processors: [append(' a'), append(' b'), append(' c')] })
    expect(model.lastPrompt).toEqual([user('Hello a b c')])
  })

  test('includes edits in place in the prompt', async () => {
    const { model } = await run({
      processors: [
        input(({ messages }) => {
          for (const { content } of messages)
            for (const part of content.parts) if (part.type === 'text') part.text = part.text.toUpperCase()
        }),
      ],
    })
    expect(model.lastPrompt).toEqual([user('HELLO')])
  })

  test.each([
    ['another MessageList', () => new MessageList()],
    ['a string', () => 'Hello'],
    ['a number', () => 7],
  ])('fails the run on %s', async (_, result) => {
    const faulty = input(result as never, 'faulty')
    await expect(run({ processors: [faulty] })).rejects.toMatchObject({
      code: 'PROCESSOR_RESULT_INVALID',
      message: expect.stringMatching(/'faulty'.*processInput/),
    })
  })

  test('refuses to leave the model without a message', async () => {
    const empty = [
      input(() => []),
      input(() => ({ messages: [] })),
      input(({ messageList, messages }) => messageList.remove(messages.map(({ id }) => id))),
      input(({ messages }) => messages.map((message) => ({ ...message, role: 'system' as const }))),
    ]
    for (const processor of empty)
      await expect(run({ processors: [processor] })).rejects.toMatchObject({ code: 'PROCESSOR_EMPTY_INPUT' })
  })

  test('refuses an empty input without processors too', async () => {
    await expect(run({}, ['unused'], [])).rejects.toMatchObject({ code: 'PROCESSOR_EMPTY_INPUT' })
  })

  test('lets a later processor add messages after an earlier one removed all', async () => {
    const { model } = await run({
      processors: [input(() => [], 'one'), input(() => [userMessage('filled')], 'two')],
    })
    expect(model.lastPrompt).toEqual([user('filled')])
  })

  test('is called once however many steps and retries there are', async () => {
    let calls = 0
    const counter: Processor = {
      id: 'counter',
      processInput: () => {
        calls++
      },
      processOutputStep: ({ text, abort }) => {
        if (text === 'BAD') abort('Again.', { retry: true })
      },
    }
    await run({ processors: [counter], tools: { look } }, [toolCall('look'), 'BAD', 'Done.'])
    expect(calls).toBe(1)
  })
})

describe('processInputStep', () => {
  type StepHook = (args: ProcessInputStepArgs) => ProcessInputStepReturn | Promise<ProcessInputStepReturn>
  const step = (processInputStep: StepHook, id = 'step'): Processor => ({ id, processInputStep })

  test('changes nothing when it returns nothing or an empty object', async () => {
    const { model } = await run({
      instructions: 'Be brief.',
      processors: [step(() => {}, 'one'), step(() => ({}), 'two'), step(async () => undefined, 'three')],
    })
    expect(model.lastPrompt).toEqual([system('Be brief.'), user('Hello')])
  })

  test('uses returned messages for this call only, as an array or in an object', async () => {
    for (const form of [(messages: Message[]) => messages, (messages: Message[]) => ({ messages })]) {
      const { model, result } = await run(
        {
          processors: [
            step(({ stepNumber }) => (stepNumber === 0 ? form([userMessage('shortened')]) : undefined)),
          ],
          tools: { look },
        },
        [toolCall('look'), 'Done.'],
      )
      expect(model.calls[0]?.prompt).toEqual([user('shortened')])
      expect(model.calls[1]?.prompt[0]).toEqual(user('Hello'))
      expect(result.messages).toLeakNothingOf('shortened')
    }
  })

  test('keeps changes of the list and edits in place', async () => {
    const { model } = await run(
      {
        processors: [
          step(({ messages, messageList, stepNumber }) => {
            if (stepNumber > 0) return undefined
            const [part] = messages[0]?.content.parts ?? []
            if (part?.type === 'text') part.text = 'edited'
            messageList.add(userMessage('added'), 'input')
            return { messageList }
          }),
        ],
        tools: { look },
      },
      [toolCall('look'), 'Done.'],
    )
    expect(model.calls[0]?.prompt).toEqual([user('edited'), user('added')])
    expect(model.calls[1]?.prompt.slice(0, 2)).toEqual([user('edited'), user('added')])
  })

  test('starts every step with the system messages that processInput left', async () => {
    const seen: number[] = []
    const { model } = await run(
      {
        instructions: 'Be brief.',
        processors: [
          {
            id: 'input',
            processInput: ({ systemMessages }) => ({
              systemMessages: [...systemMessages, { role: 'system', content: 'Be kind.' }],
            }),
          },
          step(({ systemMessages, stepNumber }) => {
            seen.push(systemMessages.length)
            return { systemMessages: [...systemMessages, { role: 'system', content: `Step ${stepNumber}.` }] }
          }),
        ],
        tools: { look },
      },
      [toolCall('look'), 'Done.'],
    )
    expect(seen).toEqual([2, 2])
    expect(model.calls.map(({ prompt }) => prompt.filter(({ role }) => role === 'system'))).toEqual([
      [system('Be brief.'), system('Be kind.'), system('Step 0.')],
      [system('Be brief.'), system('Be kind.'), system('Step 1.')],
    ])
  })

  test('ignores a push into the arrays it was given', async () => {
    const { model } = await run({
      instructions: 'Be brief.',
      processors: [
        step(({ messages, systemMessages }) => {
          messages.push(userMessage('pushed'))
          systemMessages.push({ role: 'system', content: 'pushed' })
        }),
      ],
    })
    expect(model.lastPrompt).toEqual([system('Be brief.'), user('Hello')])
  })

  test('passes changes from one processor to the next, prepareStep last', async () => {
    const seen: unknown[] = []
    const other = new ScriptedModel(['From the other.'], { modelId: 'other' })
    const note = ({ model, toolChoice, modelSettings, activeTools }: ProcessInputStepArgs) =>
      seen.push([model.modelId, toolChoice, modelSettings.temperature, activeTools])
    const { model, result } = await run({
      tools: { look },
      modelSettings: { temperature: 1 },
      processors: [
        step((args) => {
          note(args)
          return { model: other, activeTools: ['look'] }
        }, 'one'),
        step((args) => {
          note(args)
          return { toolChoice: 'required', modelSettings: { temperature: 0 } }
        }, 'two'),
      ],
      prepareStep: (args) => {
        note(args)
        return { toolChoice: 'auto' }
      },
    })
    expect(seen).toEqual([
      ['scripted-model', undefined, 1, undefined],
      ['other', undefined, 1, ['look']],
      ['other', 'required', 0, ['look']],
    ])
    expect(model.callCount).toBe(0)
    expect(other.lastCall).toMatchObject({ temperature: 0, toolChoice: { type: 'auto' } })
    expect(result.steps[0]?.request).toMatchObject({ modelId: 'other', toolChoice: 'auto', tools: ['look'] })
  })

  test('changes the request of one call, and the next step starts again', async () => {
    const { model } = await run(
      {
        tools: { look },
        toolChoice: 'auto',
        modelSettings: { temperature: 1, topK: 3 },
        providerOptions: { scripted: { cache: false } },
        processors: [
          step(({ stepNumber, tools }) =>
            stepNumber === 0
              ? {
                  tools: { ...tools, extra: tool({ inputSchema: anything, execute: () => 'extra ran' }) },
                  toolChoice: { type: 'tool', toolName: 'extra' },
                  modelSettings: { temperature: 0, maxOutputTokens: 9 },
                  providerOptions: { scripted: { cache: true } },
                  structuredOutput: { schema: z.object({ ok: z.boolean() }), name: 'verdict' },
                }
              : undefined,
          ),
        ],
      },
      [toolCall('extra'), 'Done.'],
    )
    const [first, second] = model.calls
    expect(first).toMatchObject({
      temperature: 0,
      maxOutputTokens: 9,
      toolChoice: { type: 'tool', toolName: 'extra' },
      providerOptions: { scripted: { cache: true } },
      responseFormat: { type: 'json', name: 'verdict' },
    })
    expect(first?.tools?.map(({ name }) => name)).toEqual(['look', 'extra'])
    expect(second).toMatchObject({
      temperature: 1,
      topK: 3,
      toolChoice: { type: 'auto' },
      providerOptions: { scripted: { cache: false } },
    })
    expect(second?.responseFormat).toBeUndefined()
    expect(second?.tools?.map(({ name }) => name)).toEqual(['look'])
    expect(model.lastPrompt.at(-1)).toMatchObject({ content: [{ output: { value: 'extra ran' } }] })
  })

  test('receives the previous steps', async () => {
    const seen: string[][] = []
    await run(
      {
        tools: { look },
        processors: [
          step(({ steps }) => {
            seen.push(
              steps.flatMap(({ toolCalls, toolResults }) => [`${toolCalls.length} ${toolResults.length}`]),
            )
          }),
        ],
      },
      [toolCall('look'), [toolCall('look'), toolCall('look')], 'Done.'],
    )
    expect(seen).toEqual([[], ['1 1'], ['1 1', '2 2']])
  })

  test('removes a message permanently by messageList.remove', async () => {
    const { model } = await run(
      {
        tools: { look },
        processors: [
          step(({ messageList, stepNumber }) => {
            if (stepNumber === 1) messageList.remove(messageList.get('input')[0]?.id ?? '')
          }),
        ],
      },
      [toolCall('look'), 'Done.'],
      [user('forget me'), user('Hello')],
    )
    expect(model.calls[0]?.prompt).toHaveLength(2)
    expect(model.lastPrompt).toLeakNothingOf('forget me')
  })

  const foreign = new MessageList()
  test.each([
    ['another MessageList', () => foreign, /another MessageList/],
    ['another MessageList in an object', () => ({ messageList: foreign }), /another MessageList/],
    [
      'messages together with messageList',
      ({ messages, messageList }: ProcessInputStepArgs) => ({ messages, messageList }),
      /mutually exclusive/,
    ],
    ['a string', () => 'Hello', /'faulty' returned a string from processInputStep.*It may return/],
  ] as [string, any, RegExp][])('fails the run on %s', async (_, hook, message) => {
    await expect(run({ processors: [step(hook, 'faulty')] })).rejects.toMatchObject({
      code: 'PROCESSOR_RESULT_INVALID',
      message: expect.stringMatching(message),
    })
  })

  describe('a model by id', () => {
    afterEach(() => {
      delete (globalThis as any).AI_SDK_DEFAULT_PROVIDER
    })

    test('comes from the default provider, resolved once while it stays the same', async () => {
      const model = new ScriptedModel([toolCall('look'), toolCall('look'), 'Done.'], { modelId: 'by-id' })
      const asked: string[] = []
      ;(globalThis as any).AI_SDK_DEFAULT_PROVIDER = {
        languageModel: (id: string) => {
          asked.push(id)
          return model
        },
      }
      const result = await new Agent({ model: 'scripted/by-id', tools: { look } }).generate('Hello')
      expect(result.steps).toHaveLength(3)
      expect(asked).toEqual(['scripted/by-id'])
    })

    test('can be set for a step', async () => {
      const other = new ScriptedModel(['From the other.'])
      ;(globalThis as any).AI_SDK_DEFAULT_PROVIDER = { languageModel: () => other }
      const { model, result } = await run({ processors: [step(() => ({ model: 'openai/gpt-4o' }))] })
      expect(model.callCount).toBe(0)
      expect(result).toHaveText('From the other.')
    })

    test('that is unknown fails with the id in the message', async () => {
      ;(globalThis as any).AI_SDK_DEFAULT_PROVIDER = {
        languageModel: () => {
          throw new Error('No such model.')
        },
      }
      await expect(run({ processors: [step(() => ({ model: 'openai/gpt-0' }))] })).rejects.toMatchObject({
        code: 'MODEL_UNRESOLVED',
        message: expect.stringContaining("'openai/gpt-0'"),
      })
    })
  })

  test('refuses a value that is not a model', async () => {
    await expect(
      run({ processors: [step(() => ({ model: { specificationVersion: 'v1' } as never }))] }),
    ).rejects.toMatchObject({
      code: 'PROCESSOR_RESULT_INVALID',
      message: expect.stringContaining("a model of specification 'v1' as 'model'"),
    })
  })
})
