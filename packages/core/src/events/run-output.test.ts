import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import type { Processor } from '../processors/processor.ts'
import type { AgentEventName, AgentEvents } from '../results/agent-events.ts'
import { tool } from '../tools/tool.ts'

const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `rain in ${city}`,
})

function weatherAgent(processors: Processor[] = []): Agent {
  return new Agent({
    instructions: 'Be brief.',
    model: new ScriptedModel([
      [text('Let me look. ', { chunkSize: 1 }), toolCall('weather', { city: 'Oslo' })],
      text('It rains.', { chunkSize: 1 }),
    ]),
    tools: { weather },
    processors,
  })
}

async function heard<NAME extends AgentEventName>(
  agent: Agent,
  name: NAME,
  { content = true, input = 'Umbrella?' } = {},
): Promise<AgentEvents[NAME][]> {
  const events: AgentEvents[NAME][] = []
  agent.on(name, (event) => events.push(event), { content })
  await agent.generate(input)
  await agent.close()
  return events
}

describe('a listener for content', () => {
  test('gets the input before any processor', async () => {
    const [event] = await heard(
      weatherAgent([
        {
          id: 'redacts',
          processInput: ({ messages }) => {
            for (const { content } of messages) content.parts = [{ type: 'text', text: '…' }]
          },
        },
      ]),
      'run-start',
    )
    expect(event?.input).toMatchObject({
      systemMessages: [{ content: 'Be brief.' }],
      messages: [{ role: 'user', content: { parts: [{ text: 'Umbrella?' }] } }],
    })
  })

  test('gets each prompt as the model does, as a difference from the previous one', async () => {
    const events = await heard(weatherAgent(), 'model-start')
    expect(events.map(({ prompt }) => [prompt?.kept, prompt?.messages.map(({ role }) => role)])).toEqual([
      [0, ['system', 'user']],
      [2, ['assistant', 'tool']],
    ])
  })

  test('gets emitted chunks, with deltas of a part as one entry', async () => {
    const events = await heard(weatherAgent(), 'output')
    const entries = events.flatMap((event) => event.entries)
    const types = entries.map(({ chunk }) => chunk.type)
    expect(types.filter((type) => type === 'finish')).toHaveLength(1)
    expect(types).toEqual(expect.arrayContaining(['step-start', 'tool-call', 'tool-result', 'step-finish']))
    const deltas = entries.flatMap(({ chunk, sizes }) =>
      chunk.type === 'text-delta'
        ? [{ text: chunk.textDelta, sizes: sizes ?? [chunk.textDelta.length] }]
        : [],
    )
    expect(deltas.map((delta) => delta.text).join('')).toBe('Let me look. It rains.')
    for (const delta of deltas) expect(delta.sizes.reduce((a, b) => a + b)).toBe(delta.text.length)
    expect(deltas.flatMap(({ sizes }) => sizes)).toHaveLength('Let me look. It rains.'.length)
  })

  test('gets discarded steps, in the order in which the reader does', async () => {
    const agent = weatherAgent([
      {
        id: 'objects',
        processOutputStep: ({ abort, retryCount }) =>
          retryCount === 0 ? abort('Once more.', { retry: true }) : undefined,
      },
    ])
    const entries = (await heard(agent, 'output')).flatMap((event) => event.entries)
    const kinds = entries.map(({ chunk }) => chunk.type)
    expect(kinds.indexOf('text-delta')).toBeLessThan(kinds.indexOf('step-discarded'))
  })

  test('gets at most 16,000 characters of a text, and no content of files', async () => {
    const long = '𝕏'.repeat(20_000)
    const [start] = await heard(weatherAgent(), 'run-start', { input: `x${long}` })
    const [part] = start?.input?.messages[0]?.content.parts ?? []
    const kept = part?.type === 'text' ? part.text : ''
    expect(kept.length).toBeLessThanOrEqual(16_000)
    expect(kept.isWellFormed()).toBe(true)
  })
})

test('other listeners get no user content', async () => {
  const agent = weatherAgent()
  const told: unknown[] = []
  for (const name of ['run-start', 'model-start', 'output'] as const)
    agent.on(name, (event) => told.push(event))
  // Somebody else does.
  agent.on('output', () => {}, { content: true })
  agent.on('run-start', () => {}, { content: true })
  agent.on('model-start', () => {}, { content: true })
  await agent.generate('Umbrella?')
  await agent.close()
  expect(told).toHaveLength(3)
  for (const word of ['Umbrella', 'Oslo', 'rain', 'brief']) expect(JSON.stringify(told)).not.toContain(word)
})

test('a processor that holds text back is distinguished from one that passes it', async () => {
  const held: string[] = []
  const holds: Processor = {
    id: 'holds',
    processOutputStream({ part, state }) {
      if (part.type === 'text-delta' && state.first === undefined) {
        state.first = part
        return []
      }
      const { first } = state
      delete state.first
      return first ? [first as typeof part, part] : part
    },
  }
  const passes: Processor = { id: 'passes', processOutputStream: ({ part }) => part }
  const agent = new Agent({
    model: new ScriptedModel([text('Hello.', { chunkSize: 1 })]),
    processors: [holds, passes],
  })
  agent.on('processor-decision', (event) => {
    if (event.held) held.push(`${event.processorId} ${event.action}`)
  })
  await agent.generate('Hi')
  await agent.close()
  expect(held).toEqual(['holds passed'])
})
