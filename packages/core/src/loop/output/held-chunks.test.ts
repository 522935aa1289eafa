import { collect, raw, ScriptedModel, toolCall } from '@millrace/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { Processor } from '../../processors/processor.ts'
import type { Chunk } from '../../results/chunk.ts'
import { tool } from '../../tools/tool.ts'
import { currentCalls, currentText } from './held-chunks.ts'

const tools = { look: tool({ inputSchema: z.object({}).loose(), execute: () => 'seen' }) }

function chunksOf(turn: unknown[], options: Partial<AgentOptions>): Promise<Chunk[]> {
  const model = new ScriptedModel([turn as never, 'Done.'])
  return collect(new Agent({ model, tools, ...options }).stream('Go').fullStream)
}

function reviewer(processOutputStep: NonNullable<Processor['processOutputStep']>): Processor {
  return { id: 'reviewer', processOutputStep }
}

test.each(['live', 'step'] as const)("nothing of a removed call is emitted: '%s'", async (emit) => {
  const chunks = await chunksOf([toolCall('look', { a: 'secret' }), toolCall('look', { b: 1 })], {
    emit,
    processors: [reviewer(({ toolCalls }) => ({ toolCalls: toolCalls.slice(1) }))],
  })
  expect(chunks.filter((chunk) => 'toolCallId' in chunk && chunk.toolCallId === 'call-1')).toEqual([])
})

test.each(['live', 'step'] as const)("nothing of a rewritten input is emitted: '%s'", async (emit) => {
  const chunks = await chunksOf([toolCall('look', { a: 'secret' })], {
    emit,
    processors: [
      reviewer(({ toolCalls }) => ({ toolCalls: toolCalls.map((call) => ({ ...call, input: {} })) })),
    ],
  })
  expect(JSON.stringify(chunks)).not.toContain('secret')
})

test('text after a call is not emitted before it', async () => {
  const chunks = await chunksOf([toolCall('look', {}), 'after'], { processors: [reviewer(() => {})] })
  const types = chunks.map(({ type }) => type)
  expect(types.indexOf('tool-call')).toBeLessThan(types.indexOf('text-start'))
})

test("interleaved parts keep their chunks with emit 'step' if they were not changed", async () => {
  const chunks = await chunksOf(
    [
      raw(
        { type: 'text-start', id: 'a', providerMetadata: { p: { k: 1 } } },
        { type: 'text-start', id: 'b' },
        { type: 'text-delta', id: 'a', delta: 'A1' },
        { type: 'text-delta', id: 'b', delta: 'B1' },
        { type: 'text-delta', id: 'a', delta: 'A2' },
        { type: 'text-end', id: 'a' },
        { type: 'text-end', id: 'b' },
      ),
    ],
    { emit: 'step' },
  )
  const deltas = chunks.filter((chunk) => chunk.type === 'text-delta')
  expect(deltas.map(({ id }) => id)).toEqual(['a', 'b', 'a'])
})

test('streamed input is kept if its call was not rewritten', () => {
  const input = { a: 1 }
  const held: Chunk[] = [
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'look' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"a":1}' },
    { type: 'tool-input-end', toolCallId: 'c' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'look', input },
  ]
  expect(currentCalls(held, [{ toolCallId: 'c', toolName: 'look', input }])).toEqual(held)
  expect(currentCalls(held, [{ toolCallId: 'c', toolName: 'look', input: { a: 2 } }])).toEqual([
    { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { a: 2 } },
  ])
  expect(currentCalls(held, [])).toEqual([])
})

test('changed text replaces the first delta', () => {
  const held: Chunk[] = [
    { type: 'step-start', stepNumber: 0 },
    { type: 'text-start', id: 'a' },
    { type: 'text-delta', id: 'a', textDelta: 'old' },
    { type: 'text-end', id: 'a' },
    { type: 'data-x', data: 1 },
  ]
  const changed = currentText(held, [{ type: 'text', text: 'new' }])
  expect(changed.map(({ type }) => type)).toEqual([
    'step-start',
    'text-start',
    'text-delta',
    'text-end',
    'data-x',
  ])
  expect(JSON.stringify(changed)).not.toContain('old')
  expect(currentText(held, [{ type: 'text', text: 'old' }])).toBe(held)
})
