import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { mastraGuards } from '../src/mastra/index.ts'
import { type Outcome, type Turn, testWayOut } from '../test/ways-out/corpus.ts'

async function run({
  processors,
  lookUp,
  object,
  abortSignal,
  input,
  timeout,
  model,
  stream,
}: Turn): Promise<Outcome> {
  const kept: unknown[] = []
  const spy = {
    id: 'spy',
    processInput: ({ messageList }: { messageList: { get: { all: { db(): unknown[] } } } }) => {
      kept.push(structuredClone(messageList.get.all.db()))
      return messageList
    },
    processOutputStep: ({ messageList }: { messageList: { get: { all: { db(): unknown[] } } } }) => {
      kept.push(structuredClone(messageList.get.all.db()))
      return messageList
    },
    processOutputResult: ({ messageList }: { messageList: { get: { all: { db(): unknown[] } } } }) => {
      kept.push(structuredClone(messageList.get.all.db()))
      return messageList
    },
  }
  const { inputProcessors, outputProcessors } = mastraGuards(processors, {
    ...(timeout !== undefined && { timeout }),
  })
  const agent = new Agent({
    id: 'support',
    name: 'Support',
    instructions: 'Answer.',
    model: model as never,
    maxRetries: 0,
    inputProcessors: [...inputProcessors, spy] as never,
    outputProcessors: [...outputProcessors, spy] as never,
    ...(lookUp && {
      tools: {
        lookUp: createTool({
          id: 'lookUp',
          description: 'Looks up a key.',
          inputSchema: z.object({ key: z.string() }),
          execute: async (given) => lookUp(given),
        }),
      },
    }),
  })
  const options = {
    maxSteps: 4,
    ...(abortSignal && { abortSignal }),
    ...(object && {
      structuredOutput: { schema: z.object(Object.fromEntries(object.map((key) => [key, z.string()]))) },
    }),
  }
  try {
    if (!stream) {
      const result = await agent.generate(input, options as never)
      const { text, steps, response, tripwire, error } = result as unknown as Record<string, unknown>
      kept.push(
        steps,
        (result as { object?: unknown }).object,
        (response as { messages?: unknown })?.messages,
      )
      return {
        text: tripwire ? '' : String(text),
        reader: [text, (result as { toolResults?: unknown }).toolResults],
        kept,
        error: reasonOf(tripwire) ?? error,
      }
    }
    const output = await agent.stream(input, options as never)
    const parts: { type: string; payload?: { text?: string; reason?: string; error?: unknown } }[] = []
    let text = ''
    let error: unknown
    for await (const part of output.fullStream as unknown as AsyncIterable<(typeof parts)[number]>) {
      parts.push(part)
      if (part.type === 'text-delta') text += part.payload?.text ?? ''
      if (part.type === 'tripwire') error = part.payload?.reason
      if (part.type === 'error') error ??= part.payload?.error
    }
    kept.push(
      await output.steps.catch(() => undefined),
      object && (await output.object.catch(() => undefined)),
    )
    return { text, reader: parts, kept, error }
  } catch (error) {
    return { text: '', reader: undefined, kept, error }
  }
}

function reasonOf(tripwire: unknown): unknown {
  return tripwire === undefined ? undefined : ((tripwire as { reason?: unknown }).reason ?? 'tripwire')
}

testWayOut('mastraGuards', {
  run,
  cannot: { 'abort of input': 'Mastra gives input processors no signal: they end with `timeout`.' },
})

test('each hook runs as often as in a Millrace agent', async () => {
  const asked: Record<string, number> = {}
  const count = (hook: string): void => {
    asked[hook] = (asked[hook] ?? 0) + 1
  }
  const counts = {
    id: 'counts',
    processInput: () => count('processInput'),
    processInputStep: () => count('processInputStep'),
    processOutputStep: () => count('processOutputStep'),
    processToolCall: () => count('processToolCall'),
    processOutputResult: () => count('processOutputResult'),
  }
  const turn = {
    model: new ScriptedModel([[toolCall('lookUp', { key: 'a' })], 'Done.']),
    processors: [counts],
    input: 'Hi',
    lookUp: () => 'found',
  }
  expect((await run({ ...turn, stream: true })).text).toBe('Done.')
  expect(asked).toEqual({
    processInput: 1,
    processInputStep: 2,
    processOutputStep: 2,
    processToolCall: 1,
    processOutputResult: 1,
  })
})

test('a model that is not of AI SDK 7 is rejected without output', async () => {
  const old = {
    specificationVersion: 'v2',
    provider: 'x',
    modelId: 'x',
    supportedUrls: {},
    doStream: () => Promise.reject(new Error('asked')),
  }
  const outcome = await run({ model: old as never, processors: [], input: 'Hi', stream: false })
  expect(String((outcome.error as Error | undefined)?.message ?? outcome.error)).toMatch(/AI SDK 7/)
})
