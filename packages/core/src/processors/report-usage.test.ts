import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import { parallel } from '../composition/parallel.ts'
import { tool } from '../tools/tool.ts'
import { emptyUsage, type Usage } from '../usage.ts'
import type { Processor } from './processor.ts'

expect.extend(matchers)

function tokens(inputTokens: number, outputTokens: number): Usage {
  return { ...emptyUsage(), inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

function judge(id: string, hook: 'processInput' | 'processOutputStep' | 'processOutputStream'): Processor {
  return {
    id,
    [hook]: async ({
      reportUsage,
      part,
    }: {
      reportUsage: (report: object) => void
      part?: { type: string }
    }) => {
      await Promise.resolve()
      if (part && part.type !== 'text-end') return part
      reportUsage({ model: 'cheap/judge', usage: tokens(10, 1) })
      return part
    },
  }
}

test('calls and tokens of a processor are in its records, by step and model, and not in the usage of the run', async () => {
  const model = new ScriptedModel([['Let me look.', toolCall('look', {})], 'Seen.'])
  const look = tool({ inputSchema: z.object({}), execute: () => 1 })
  const strong = new ScriptedModel([], { provider: 'p', modelId: 'strong' })
  const twice: Processor = {
    id: 'twice',
    processOutputStep: ({ reportUsage }) => {
      reportUsage({ model: strong, usage: tokens(5, 2) })
      reportUsage({ model: strong })
    },
  }
  const guards = [judge('in', 'processInput'), judge('stream', 'processOutputStream'), twice]
  const plain = await new Agent({
    model: new ScriptedModel([['Let me look.', toolCall('look', {})], 'Seen.']),
    tools: { look },
  }).generate('Hi')
  const result = await new Agent({ model, tools: { look }, processors: guards }).generate('Hi')
  expect(result.usage).toEqual(plain.usage)
  const cheap = { provider: '', modelId: 'cheap/judge', calls: 1, usage: tokens(10, 1) }
  expect(result.processors.filter(({ modelUsage }) => modelUsage)).toMatchObject([
    { processorId: 'in', hook: 'processInput', stepNumber: undefined, modelUsage: [cheap] },
    { processorId: 'stream', hook: 'processOutputStream', stepNumber: 0, modelUsage: [cheap] },
    {
      processorId: 'twice',
      stepNumber: 0,
      modelUsage: [{ provider: 'p', modelId: 'strong', calls: 2, usage: tokens(5, 2) }],
    },
    { processorId: 'stream', hook: 'processOutputStream', stepNumber: 1, modelUsage: [cheap] },
    { processorId: 'twice', stepNumber: 1 },
  ])
  for (const { stepNumber, processors } of result.steps) {
    expect(processors).toEqual(result.processors.filter((record) => record.stepNumber === stepNumber))
  }
  expect(result.processors.find(({ hook }) => hook === 'processInput')).not.toHaveProperty('usage')
})

test('members of a composition have their own reports', async () => {
  const agent = new Agent({
    model: new ScriptedModel(['Hello']),
    processors: [parallel(judge('a', 'processOutputStep'), judge('b', 'processOutputStep'))],
  })
  const { processors } = await agent.generate('Hi')
  expect(processors.filter(({ modelUsage }) => modelUsage).map(({ processorId }) => processorId)).toEqual([
    'a',
    'b',
  ])
})

test('in concurrent runs is counted for its own run', async () => {
  const opened = Promise.withResolvers<void>()
  let waiting = 0
  const slow: Processor = {
    id: 'slow',
    processInput: async ({ reportUsage, messages }) => {
      if (++waiting === 2) opened.resolve()
      await opened.promise
      const [part] = messages[0]?.content.parts ?? []
      reportUsage({ model: 'm', usage: tokens(part?.type === 'text' ? part.text.length : 0, 0) })
    },
  }
  const agent = new Agent({ model: new ScriptedModel(() => 'Hello'), processors: [slow] })
  const results = await Promise.all([agent.generate('1'), agent.generate('22')])
  expect(results.map(({ processors }) => processors[0]?.modelUsage?.[0]?.usage.inputTokens)).toEqual([1, 2])
})
