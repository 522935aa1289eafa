import { Agent, type AgentInput, type Message, type Processor, tool } from '@millrace/core'
import { collect, reasoning, ScriptedModel, type ScriptPart, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PIIDetector } from '../pii/pii-detector.ts'
import { SecretDetector } from '../secrets/secret-detector.ts'
import type { GuardOptions } from './options.ts'

expect.extend(matchers)

const runs = process.env.MILLRACE_THOROUGH === '1' ? 1_000 : 40

const detectors = {
  'personal data': {
    value: 'card 4111 1111 1111 1111',
    parts: ['4111', '1111 1111'],
    make: (options?: GuardOptions) => new PIIDetector(options),
  },
  'a secret': {
    value: 'token ghp_k7Qp2vX9sLm4Tz8RbY3wN5cD1fG6hJ0aS2eU',
    parts: ['ghp_k7', 'Qp2vX9sLm4', 'aS2eU'],
    make: (options?: GuardOptions) => new SecretDetector(options),
  },
}

interface Case {
  surface: string
  turns: (ScriptPart | string)[][]
  input?: AgentInput
  output?: z.ZodType
  others?: Processor[]
}

function message(id: string, said: string): Message {
  return { id, role: 'assistant', content: { parts: [{ type: 'text', text: said }] }, createdAt: new Date(0) }
}

/** Adds a message, as a memory or a retrieval would. */
function adds(said: string, origin: 'remembered' | 'context'): Processor {
  return {
    id: origin,
    processInput: ({ messageList }) => {
      messageList.add(message(origin, said), origin)
      return messageList
    },
  }
}

function casesOf(value: string): Case[] {
  const said = `This is the ${value}.`
  return [
    { surface: 'user input', input: said, turns: [['ok']] },
    { surface: 'a remembered message', turns: [['ok']], others: [adds(said, 'remembered')] },
    { surface: 'a context message', turns: [['ok']], others: [adds(said, 'context')] },
    { surface: 'tool input', turns: [[toolCall('echo', { to: [said] }, { chunkSize: 3 })], ['ok']] },
    { surface: 'a tool result', turns: [[toolCall('leak', {})], ['ok']] },
    { surface: 'a tool error', turns: [[toolCall('fail', {})], ['ok']] },
    { surface: 'reasoning', turns: [[reasoning(said, { chunkSize: 2 }), 'ok']] },
    {
      surface: 'structured output',
      turns: [[text(JSON.stringify({ note: said }), { chunkSize: 3 })]],
      output: z.object({ note: z.string() }),
    },
    { surface: 'the answer', turns: [[text(said, { chunkSize: 2 })]] },
  ]
}

function toolsOf(value: string) {
  return {
    echo: tool({ inputSchema: z.any(), execute: () => 'done' }),
    leak: tool({ inputSchema: z.object({}), execute: () => ({ rows: [`the ${value}`] }) }),
    fail: tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error(`refused: ${value}`)
      },
    }),
  }
}

const EVENTS = ['run-start', 'step-finish', 'tool-finish', 'processor', 'run-finish', 'run-error'] as const

/** All that can be seen of a run: result, chunks, prompts, events, and what a store would keep. */
async function play(
  { turns, input = 'hi', output, others = [] }: Case,
  { detector, how, value }: { detector: Processor; how: 'generate' | 'stream'; value: string },
) {
  const model = new ScriptedModel(turns, { repeat: 'last' })
  const stored: unknown[] = []
  const store: Processor = {
    id: 'store',
    processOutputResult: ({ messageList, result }) => {
      stored.push(structuredClone([messageList.get('input'), messageList.get('response'), result.steps]))
    },
  }
  const processors = [...others, detector, store]
  const agent = new Agent({ name: 'a', model, tools: toolsOf(value), processors })
  const events: unknown[] = []
  for (const name of EVENTS) agent.on(name, (event) => events.push(event))
  const options = output ? { output } : {}
  const stream = how === 'stream' ? agent.stream(input, options) : undefined
  const chunks = stream ? await collect(stream.fullStream) : []
  const result = stream ? await stream.result : await agent.generate(input, options)
  await agent.close()
  expect(events.length).toBeGreaterThan(1)
  const prompts = model.calls.map(({ prompt }) => prompt)
  return { result, prompts, all: [result, chunks, prompts, events, stored], stored }
}

describe.each(Object.entries(detectors))('%s', (_, { value, parts, make }) => {
  describe.each(['generate', 'stream'] as const)('in %s', (how) => {
    test.each(casesOf(value))('is redacted in $surface, and seen nowhere', async (each) => {
      const { result, all, stored } = await play(each, { detector: make(), how, value })
      expect(result.status).toBe('completed')
      expect(all).toLeakNothingOf(parts)
      expect(JSON.stringify(all)).toContain('[REDACTED]')
      expect(stored).toHaveLength(1)
    })

    test.each(casesOf(value))('is blocked in $surface, and stored nowhere', async (each) => {
      const { result, prompts, all, stored } = await play(each, {
        detector: make({ strategy: 'block' }),
        how,
        value,
      })
      // What blocks is a message of the past: it is left out, so that it cannot end every run of its thread.
      const leftOut = each.others !== undefined
      expect(result.status).toBe(leftOut ? 'completed' : 'tripwire')
      expect(stored).toHaveLength(leftOut ? 1 : 0)
      if (leftOut) expect(prompts[0]).toHaveLength(1)
      expect(all).toLeakNothingOf(parts)
    })
  })

  test.each(['redact', 'block', 'filter'] as const)(
    'no beginning of it goes out with %s, however it is cut',
    async (strategy) => {
      const said = `Look, it is the ${value} and no other.`
      const begin = said.indexOf(value) + value.indexOf(' ') + 1
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(said.length), { maxLength: 12 }), async (places) => {
          const cuts = [0, ...places.sort((a, b) => a - b), said.length]
          const deltas = cuts.slice(1).map((end, index) => said.slice(cuts[index], end))
          const model = new ScriptedModel([[text(deltas)]])
          const agent = new Agent({ name: 'a', model, processors: [make({ strategy })] })
          let out = ''
          for await (const chunk of agent.stream('hi').fullStream) {
            if (chunk.type === 'text-delta') out += chunk.textDelta
            // Whatever stands there at any moment: the text before the value, and nothing of it.
            if (out.length <= begin) expect(said.startsWith(out)).toBe(true)
            else
              expect(out.slice(begin)).toSatisfy((rest: string) =>
                '[REDACTED] and no other.'.startsWith(rest),
              )
          }
        }),
        { numRuns: runs },
      )
    },
  )
})
