import {
  collect,
  finish,
  raw,
  reasoning,
  ScriptedModel,
  source,
  text,
  toolCall,
  toolResult,
} from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import { parallel } from '../../composition/parallel.ts'
import { ProcessorPipeline } from '../../composition/processor-pipeline.ts'
import type { Processor } from '../../processors/processor.ts'
import type { Chunk } from '../../results/chunk.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })

/** Notes what its stream hook sees, and returns nothing for it. */
function watcher(seen: string[], id = 'watcher'): Processor {
  return {
    id,
    processOutputStream: ({ part, stepNumber }) => {
      seen.push(`${stepNumber} ${part.type}`)
      return part.type === 'response-end' ? undefined : part
    },
  }
}

/** Holds back all of a response until it is complete. */
function holder(id = 'holder', returns = true): Processor {
  return {
    id,
    processOutputStream: ({ part, state }) => {
      if (part.type === 'step-start') state.held = []
      const held = state.held as Chunk[]
      if (part.type === 'response-end') return returns ? [...held, part] : []
      if (!/^(text|reasoning)-|^source$|^tool-(call|input|result)/.test(part.type) || held === undefined)
        return part
      held.push(part)
      return []
    },
  }
}

async function run(turns: any[], processors: Processor[], options: Partial<AgentOptions> = {}) {
  const model = new ScriptedModel(turns)
  const stream = new Agent({ model, processors, ...options }).stream('Hello')
  const chunks = await collect(stream.fullStream)
  return { model, chunks, result: await stream.result }
}

describe('the end of a response', () => {
  test('is passed to every stream hook once a step, before tools run, and is never emitted', async () => {
    const seen: string[] = []
    const turns = [[text('One.'), toolCall('look')], 'Two.']
    const { chunks, result } = await run(turns, [watcher([], 'first'), watcher(seen)], { tools: { look } })
    expect(seen.filter((each) => each.endsWith('response-end'))).toEqual(['0 response-end', '1 response-end'])
    expect(seen.indexOf('0 response-end')).toBeGreaterThan(seen.indexOf('0 tool-call'))
    expect(seen.indexOf('0 response-end')).toBeLessThan(seen.indexOf('0 tool-result'))
    expect(chunks.map(({ type }) => type)).not.toContain('response-end')
    expect(JSON.stringify(result)).not.toContain('response-end')
  })

  test.each([
    [
      'a response that breaks off',
      [[raw({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'On' })]],
    ],
    ['a response that ends for its length', [['On', finish({ reason: 'length' })]]],
  ])('comes behind %s, with its parts ended', async (_, turns) => {
    const seen: string[] = []
    await run(turns, [watcher(seen)])
    expect(seen.slice(-4)).toEqual(['0 text-end', '0 response-end', '0 step-finish', '0 finish'])
  })

  test('follows an answer in place of the model', async () => {
    const seen: string[] = []
    const cache: Processor = {
      id: 'cache',
      async *wrapModelCall() {
        yield { type: 'text-delta', id: 't', textDelta: 'known' }
      },
    }
    await run([], [cache, watcher(seen)])
    expect(seen).toEqual(['0 step-start', '0 text-delta', '0 response-end', '0 step-finish', '0 finish'])
  })

  test('follows the answer with which a processor ends the loop', async () => {
    const seen: string[] = []
    const ending: Processor = { id: 'ending', processToolStep: () => ({ finish: true, text: 'Enough.' }) }
    const { result } = await run([[toolCall('look')]], [ending, holder(), watcher(seen)], { tools: { look } })
    expect(result.text).toBe('Enough.')
    expect(seen.slice(-4)).toEqual(['0 text-end', '0 response-end', '0 step-finish', '0 finish'])
  })

  test('is not repeated in a run that is resumed after it', async () => {
    const seen: string[] = []
    const asks = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'seen' })
    const storage = new InMemoryRunStore()
    const model = new ScriptedModel([[text('One.'), toolCall('asks')], 'Two.'])
    const agent = new Agent({ model, tools: { asks }, storage, processors: [holder(), watcher(seen)] })
    const waiting = await agent.generate('Hello')
    const resumed = await agent.resume(waiting.runId, { approved: true }).result
    expect(resumed.steps.map(({ text }) => text)).toEqual(['One.', 'Two.'])
    expect(seen.filter((each) => each.endsWith('response-end'))).toEqual(['0 response-end', '1 response-end'])
  })

  test('is sent in a pipeline without an agent', async () => {
    const seen: string[] = []
    const pipeline = new ProcessorPipeline([holder(), watcher(seen)])
    const chunks = await collect(
      pipeline.processOutputStream([{ type: 'text-delta', id: 't', textDelta: 'Hi' }]),
    )
    expect(seen).toEqual(['0 step-start', '0 text-delta', '0 response-end', '0 step-finish'])
    expect(chunks.map(({ type }) => type)).not.toContain('response-end')
  })
})

describe('a hook that holds back', () => {
  const turn = [
    text('One '),
    source({ url: 'https://example.com' }),
    reasoning('Hm.'),
    toolCall('search', { q: 1 }, { id: 'p', providerExecuted: true }),
    toolResult('search', 'found', { id: 'p' }),
    text('two.'),
  ]

  test.each([undefined, 'step'] as const)(
    'starts, ends and calls too returns everything unchanged, emitted by %s',
    async (emit) => {
      const options = { tools: { look }, ...(emit && { emit }) }
      const plain = await run([turn], [watcher([])], options)
      const held = await run([turn], [holder()], options)
      expect(held.chunks.slice(1)).toEqual(plain.chunks.slice(1))
      expect(held.result.messages[0]?.content).toEqual(plain.result.messages[0]?.content)
      expect(held.result.text).toBe('One two.')
      expect(held.result.steps[0]?.toolResults).toEqual(plain.result.steps[0]?.toolResults)
    },
  )

  test('before another that passes everything changes nothing', async () => {
    const plain = await run([turn], [])
    const { chunks, result } = await run([turn], [parallel(holder(), watcher([]))])
    expect(chunks.slice(1)).toEqual(plain.chunks.slice(1))
    expect(result.text).toBe('One two.')
  })

  test('an end and never returns it leaves parts that are closed', async () => {
    const forgetful: Processor = {
      id: 'forgetful',
      processOutputStream: ({ part }) => (part.type === 'text-end' ? [] : part),
    }
    const { chunks, result } = await run([turn], [forgetful])
    expect(chunks.filter(({ type }) => type === 'text-end')).toHaveLength(2)
    expect(result.messages[0]?.content.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'One ', state: 'done' },
      { type: 'source-url' },
      { type: 'reasoning', state: 'done' },
      { type: 'dynamic-tool' },
      { text: 'two.', state: 'done' },
    ])
    expect(await run([turn], [holder('thief', false)])).toMatchObject({
      result: { text: '', status: 'completed' },
    })
  })

  test('other chunks than starts and ends cannot hold them back', async () => {
    const greedy: Processor = { id: 'greedy', processOutputStream: () => [] }
    const { chunks } = await run([turn], [greedy])
    expect(chunks).toHaveChunkTypes(['start', 'step-start', 'step-finish', 'finish'])
  })
})
