import { ScriptedModel } from '@millrace/testing'
import { expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import type { AgentOptions } from '../agent/agent-options.ts'
import { parallel } from '../composition/parallel.ts'
import { ProcessorPipeline } from '../composition/processor-pipeline.ts'
import type { CounterStore } from '../storage/counter-store.ts'
import { InMemoryRunStore } from '../storage/in-memory-run-store.ts'
import { InMemoryStore } from '../storage/in-memory-store.ts'
import type { Processor } from './processor.ts'

/** A store that says it outlives the process. */
function lasting(): InMemoryStore {
  const capabilities = { search: true, vectors: true, blobs: true, persistent: true }
  return Object.assign(new InMemoryStore(), { capabilities })
}

const [storage, ofMemory] = [lasting(), lasting()]
const memory = (store: InMemoryStore) => ({ storage: store, getInputProcessors: () => [] })

test.each<[string, Partial<AgentOptions>, CounterStore | undefined]>([
  ["the agent's storage", { storage, memory: memory(ofMemory) }, storage],
  ['that of its memory', { memory: memory(ofMemory) }, ofMemory],
  ['that of a memory in a list', { inputProcessors: [memory(ofMemory)] }, ofMemory],
  [
    'that of its memory, where the other counts nothing',
    { storage: new InMemoryRunStore(), memory: memory(ofMemory) },
    ofMemory,
  ],
  ['nowhere, where it does not last', { storage: new InMemoryStore() }, undefined],
  ['nowhere without one', {}, undefined],
])('hooks count in %s', async (_, options, expected) => {
  const seen: unknown[] = []
  const counter = (id: string): Processor => ({
    id,
    processInput: ({ counters }) => void seen.push(counters),
  })
  const processors = [counter('alone'), parallel(counter('beside'))]
  await new Agent({ model: new ScriptedModel(['Hello']), processors, ...options }).generate('Hi')
  expect(seen).toEqual([expected, expected])
  for (const one of seen) expect(one).toBe(expected)
})

test('a pipeline uses the given counters', async () => {
  const seen: unknown[] = []
  const counter: Processor = { id: 'counter', processInput: ({ counters }) => void seen.push(counters) }
  await new ProcessorPipeline([counter], { counters: storage }).processInput('Hi')
  expect(seen[0]).toBe(storage)
})
