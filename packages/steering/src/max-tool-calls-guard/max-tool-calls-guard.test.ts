import { Agent, tool } from '@millrace/core'
import { collect, ScriptedModel, toolCall, toolResult } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { MaxToolCallsGuard, type MaxToolCallsGuardEvent } from './max-tool-calls-guard.ts'

expect.extend(matchers)

const read = tool({ inputSchema: z.object({ page: z.number() }), execute: ({ page }) => `page ${page}` })
const reads = (count: number) => Array.from({ length: count }, (_, page) => toolCall('read', { page }))

test('runs the first calls of a response, and removes the others from transcript, prompt and stream', async () => {
  const trimmed: MaxToolCallsGuardEvent[] = []
  const guard = new MaxToolCallsGuard({ limit: 2, onTrim: (calls) => trimmed.push(calls) })
  const model = new ScriptedModel([['Reading. ', ...reads(4)], reads(2), 'Answer'])
  const agent = new Agent({ model, tools: { read }, processors: [guard] })
  const run = agent.stream('Go')
  const chunks = await collect(run.fullStream)
  const result = await run.result

  expect(result.steps.map(({ toolResults }) => toolResults.map(({ toolCallId }) => toolCallId))).toEqual([
    ['call-1', 'call-2'],
    ['call-5', 'call-6'],
    [],
  ])
  expect(JSON.stringify(chunks)).not.toMatch(/call-[34]/)
  for (const { prompt } of model.calls) expect(prompt).toPairEveryToolCall()
  expect(result.messages).toPairEveryToolCall()
  expect(trimmed).toEqual([
    { processorId: 'max-tool-calls', stepNumber: 0, kept: 2, trimmed: ['read', 'read'] },
  ])
})

test('records the change in the step, and only there', async () => {
  const model = new ScriptedModel([reads(3), reads(1), 'Answer'])
  const agent = new Agent({ model, tools: { read }, processors: [new MaxToolCallsGuard(2)] })
  const { processors } = await agent.generate('Go')
  expect(processors.map(({ stepNumber, action }) => [stepNumber, action])).toEqual([
    [0, 'changed'],
    [1, 'passed'],
    [2, 'passed'],
  ])
})

test('records the number of removed calls in the trace', () => {
  const events: unknown[] = []
  const toolCalls = ['a', 'b', 'c'].map((toolCallId) => ({ toolCallId, toolName: 'read', input: {} }))
  const tracingContext = { span: { addEvent: (...event: unknown[]) => events.push(event) } }
  const guard = new MaxToolCallsGuard({ id: 'cap', limit: 2 })
  guard.processOutputStep({ toolCalls, stepNumber: 4, tracingContext } as never)
  expect(events).toEqual([
    [
      'millrace.tool_calls_trimmed',
      {
        'millrace.processor.id': 'cap',
        'millrace.step.number': 4,
        'millrace.tool_calls.kept': 2,
        'millrace.tool_calls.trimmed': 1,
      },
    ],
  ])
})

test('neither counts nor removes calls that the provider executed', async () => {
  const search = toolCall('search', {}, { id: 's-1', providerExecuted: true })
  const model = new ScriptedModel([
    [search, toolResult('search', { hits: 2 }, { id: 's-1' }), ...reads(3)],
    'Answer',
  ])
  const agent = new Agent({ model, tools: { read }, processors: [new MaxToolCallsGuard(1)] })
  const { steps } = await agent.generate('Go')
  expect(steps[0]?.toolCalls.map(({ toolName }) => toolName)).toEqual(['search', 'read'])
})

test('limits concurrent runs separately', async () => {
  const guard = new MaxToolCallsGuard(2)
  const counts = [1, 5, 3].map(async (count) => {
    const model = new ScriptedModel([reads(count), 'Answer'])
    const { steps } = await new Agent({ model, tools: { read }, processors: [guard] }).generate('Go')
    return steps[0]?.toolResults.length
  })
  expect(await Promise.all(counts)).toEqual([1, 2, 2])
})

test.each([0, 1.5, Number.NaN])('rejects a limit of %s', (limit) => {
  expect(() => new MaxToolCallsGuard(limit)).toThrow('Use an integer of at least 1.')
})
