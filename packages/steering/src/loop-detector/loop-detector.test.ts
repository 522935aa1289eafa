import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { LoopDetector, type LoopDetectorEvent, type LoopDetectorOptions } from './loop-detector.ts'
import { repetitionIn } from './repetition.ts'

expect.extend(matchers)

const read = toolCall('read', { path: 'a', lines: 3 })
const swapped = toolCall('read', { lines: 3, path: 'a' })
const write = toolCall('write', { path: 'a' })

async function run(
  script: ConstructorParameters<typeof ScriptedModel>[0],
  options: LoopDetectorOptions = {},
) {
  const loops: LoopDetectorEvent[] = []
  let polls = 0
  const model = new ScriptedModel(script, { repeat: 'last' })
  const anything = z.object({}).loose()
  const agent = new Agent({
    model,
    tools: {
      read: tool({ inputSchema: anything, execute: () => 'text' }),
      write: tool({ inputSchema: anything, execute: () => 'ok' }),
      poll: tool({ inputSchema: anything, execute: () => (polls++ < 12 ? { progress: polls } : 'stuck') }),
    },
    maxSteps: 40,
    processors: [new LoopDetector({ onLoop: (loop) => loops.push(loop), ...options })],
  })
  const result = await agent.generate('Go')
  const told = model.calls.map(({ prompt }) => JSON.stringify(prompt).includes('times in a row'))
  return { model, result, told, loops }
}

test('warns the model about the same call with the same input, then halts the run', async () => {
  const { model, result, told, loops } = await run([read, swapped, read, swapped])
  expect(told).toEqual([false, false, false, true, true])
  expect(result).toHaveStatus('halted')
  expect(result).toHaveText('I stopped because I kept repeating myself without getting any further.')
  expect(result.halt).toMatchObject({ processorId: 'loop-detector', metadata: { cycle: 1, times: 5 } })
  expect(result.steps.flatMap(({ toolResults }) => toolResults)).toHaveLength(5)
  expect(loops.map(({ action, times, toolNames }) => [action, times, ...toolNames])).toEqual([
    ['warn', 3, 'read'],
    ['warn', 4, 'read'],
    ['halt', 5, 'read'],
  ])
  for (const { prompt } of model.calls) expect(prompt).toPairEveryToolCall()
  expect(JSON.stringify(result.messages)).not.toContain('times in a row')
})

test('does not halt if the model follows the warning', async () => {
  const { result, told } = await run([read, read, read, write, read, read, 'Answer'])
  expect(result).toHaveText('Answer')
  expect(told).toEqual([false, false, false, true, false, false, false])
})

test.each([2, 3, 4])('detects a cycle of %s steps', async (length) => {
  const script = (_: unknown, index: number) => toolCall('read', { path: `${index % length}` })
  const { result, loops } = await run(script)
  expect(result).toHaveStatus('halted')
  expect(loops.at(0)).toMatchObject({ action: 'warn', cycle: length, times: 3 })
  expect(result.steps).toHaveLength(5 * length)
})

test('detects the same calls in another order, and the same call many times in one response', async () => {
  const both = (_: unknown, index: number) => (index % 2 === 0 ? [read, write] : [write, read])
  expect((await run(both)).loops[0]).toMatchObject({ cycle: 1, times: 3, toolNames: ['read', 'write'] })
  expect((await run([[read, read, read], 'Answer'])).told).toEqual([false, true])
})

test('detects the same text in several steps', async () => {
  const goOn: Processor = { id: 'go-on', processOutputStep: () => ({ continue: 'Go on.' }) }
  const model = new ScriptedModel(['I am  on it.', 'I am on it. '], { repeat: 'last' })
  const agent = new Agent({ model, processors: [goOn, new LoopDetector()] })
  const result = await agent.generate('Go')
  expect(result).toHaveStatus('halted')
  expect(model.callCount).toBe(5)
  expect(JSON.stringify(model.lastPrompt)).toContain('You have said the same 4 times in a row.')
})

test('finds nothing in a healthy run of 20 steps', async () => {
  const script = (_: unknown, index: number) =>
    index === 20
      ? 'Answer'
      : ['Next page. ', toolCall('read', { path: 'a', page: index }), ...(index % 3 === 0 ? [write] : [])]
  const { result, told, loops } = await run(script)
  expect(result).toHaveText('Answer')
  expect(told).not.toContain(true)
  expect(loops).toEqual([])
})

test('allows polling a status that changes, with compareResults', async () => {
  const poll = [toolCall('poll', { job: 1 })]
  const { result, loops } = await run(poll, { compareResults: true })
  expect(loops[0]?.stepNumber).toBe(15)
  expect(result.steps).toHaveLength(17)
  expect((await run(poll)).result.steps).toHaveLength(5)
})

test('detects a loop that was interrupted by a suspension', async () => {
  const loops: LoopDetectorEvent[] = []
  const asks: Processor = {
    id: 'asks',
    processToolCall: ({ suspend, resumeData }) => (resumeData === undefined ? suspend() : undefined),
  }
  const model = new ScriptedModel([read], { repeat: 'last' })
  const tools = { read: tool({ inputSchema: z.object({}).loose(), execute: () => 'text' }) }
  const detector = new LoopDetector({ onLoop: (loop) => loops.push(loop) })
  let result = await new Agent({ model, tools, processors: [detector, asks] }).generate('Go')
  while (result.status === 'suspended') result = await result.suspension.resume('on')
  expect(result).toHaveStatus('halted')
  expect(loops.map(({ times }) => times)).toEqual([3, 4, 5])
})

test('compares inputs that are not JSON', async () => {
  const inputs = [new Map([['a', 1]]), new Map([['a', 2]]), 10n, 11n, new Set([1])]
  const schema = z.object({}).loose()
  const model = new ScriptedModel([...inputs.map(() => read), 'Answer'])
  const tools = { read: tool({ inputSchema: schema, execute: () => 'text' }) }
  const changes: Processor = {
    id: 'changes',
    processToolCall: ({ stepNumber }) => ({ input: { value: inputs[stepNumber] } }),
  }
  const loops: LoopDetectorEvent[] = []
  const detector = new LoopDetector({ onLoop: (loop) => loops.push(loop) })
  expect(await new Agent({ model, tools, processors: [changes, detector] }).generate('Go')).toHaveText(
    'Answer',
  )
  expect(loops).toEqual([])
})

test('counts the repetitions of a cycle, whatever came before it', () => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 })
  const block = fc.uniqueArray(fc.constantFrom('u', 'v', 'w', 'x'), { minLength: 1 })
  fc.assert(
    fc.property(items, block, fc.integer({ min: 2, max: 6 }), (before, cycle, times) => {
      const repeated = Array.from({ length: times }, () => cycle).flat()
      expect(repetitionIn([...before, ...repeated], { maxCycle: 4 })).toEqual({ cycle: cycle.length, times })
    }),
  )
  expect(repetitionIn([], { maxCycle: 4 })).toEqual({ cycle: 1, times: 0 })
})

test('rejects a haltAfter below warnAfter', () => {
  expect(() => new LoopDetector({ warnAfter: 4, haltAfter: 4 })).toThrow('Use a larger haltAfter.')
})
