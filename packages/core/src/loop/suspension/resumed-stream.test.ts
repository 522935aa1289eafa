import { collect, ScriptedModel, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { Processor } from '../../processors/processor.ts'
import type { RunResult } from '../../results/result.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

const anything = z.object({}).loose()

function idOf({ suspension }: RunResult): string {
  if (!suspension) throw new Error('The run is not suspended.')
  return suspension.runId
}

describe('the stream of a resumed run', () => {
  const tools = { look: tool({ inputSchema: anything, execute: () => 'seen' }) }
  const askAt = (
    hook: 'processInput' | 'processOutputStep' | 'processToolCall' | 'processToolResult' | 'processToolStep',
  ) => {
    const suspendOnce = ({ state, suspend }: { state: Record<string, unknown>; suspend: () => never }) => {
      if (state.asked) return
      state.asked = true
      suspend()
    }
    return { id: 'asker', [hook]: suspendOnce } as Processor
  }

  test.for([
    ['live', 'step'],
    ['step', 'live'],
  ] as const)(
    'keeps its order where it was begun with emit %s and goes on with %s',
    async ([before, after]) => {
      const script = [['Let me look. ', toolCall('look')], 'It is there.']
      const asker: Processor = {
        id: 'asker',
        wrapModelCall: ({ next, request, resumeData, state, suspend }) => {
          if (resumeData !== undefined) state.asked = true
          return state.asked ? next(request) : suspend()
        },
      }
      const storage = new InMemoryRunStore()
      const agent = new Agent({ model: new ScriptedModel(script), tools, storage, processors: [asker] })
      const stream = agent.stream('Hi', { emit: before })
      const first = await collect(stream.fullStream)
      const resumed = agent.resume(idOf(await stream.result), 'yes', { emit: after })
      const second = await collect(resumed.fullStream)
      const plain = new Agent({ model: new ScriptedModel(script), tools }).stream('Hi')
      const inner = [...first.slice(1, -1), ...second.slice(1)]
      expect(inner.map(({ type }) => type)).toEqual(
        (await collect(plain.fullStream)).slice(1).map(({ type }) => type),
      )
    },
  )

  test.each(['processOutputStep', 'processToolCall', 'processToolResult', 'processToolStep'] as const)(
    "repeats and omits nothing, with emit 'live' and 'step': %s",
    async (hook) => {
      for (const emit of ['live', 'step'] as const) {
        const options = {
          emit,
          storage: new InMemoryRunStore(),
          tools,
        }
        const script = [['Let me look. ', toolCall('look')], 'It is there.']
        const plain = await collect(
          new Agent({ ...options, model: new ScriptedModel(script) }).stream('Hi').fullStream,
        )
        const agent = new Agent({ ...options, model: new ScriptedModel(script), processors: [askAt(hook)] })
        const stream = agent.stream('Hi')
        const first = await collect(stream.fullStream)
        const resumed = agent.resume(idOf(await stream.result), 'yes')
        const second = await collect(resumed.fullStream)
        const inner = [...first.slice(1, -1), ...second.slice(1)]
        expect(inner.map(({ type }) => type)).toEqual(plain.slice(1).map(({ type }) => type))
        expect(textOf(inner)).toBe(textOf(plain))
        if (emit === 'step' && hook === 'processOutputStep') expect(textOf(first)).toBe('')
      }
    },
  )

  test.each(['live', 'step'] as const)(
    "ends once if the answer was complete when the run was suspended: '%s'",
    async (emit) => {
      const seen: string[] = []
      const agent = new Agent({
        emit,
        storage: new InMemoryRunStore(),
        model: new ScriptedModel(['Hello.']),
        processors: [
          {
            id: 'counter',
            processOutputStream: ({ part }) => {
              seen.push(part.type)
              return part
            },
          },
          {
            id: 'asker',
            processOutputResult: ({ resumeData, suspend }) =>
              resumeData === undefined ? suspend() : undefined,
          },
        ],
      })
      const stream = agent.stream('Hi')
      const first = await collect(stream.fullStream)
      const resumed = agent.resume(idOf(await stream.result), 'yes')
      const second = await collect(resumed.fullStream)
      expect(await resumed).toHaveText('Hello.')
      const types = [...first, ...second].map(({ type }) => type)
      expect(types.filter((type) => type === 'step-finish')).toHaveLength(1)
      expect(types.filter((type) => type === 'finish')).toHaveLength(1)
      expect(textOf([...first, ...second])).toBe('Hello.')
      if (emit === 'step') expect(first).toHaveChunkTypes(['start', 'suspended'])
      expect(seen.filter((type) => type === 'step-finish')).toHaveLength(1)
      expect(seen.filter((type) => type === 'finish')).toHaveLength(1)
    },
  )

  test.each(['live', 'step'] as const)(
    'starts its step once if it waited before the call: %s',
    async (emit) => {
      const agent = new Agent({
        emit,
        storage: new InMemoryRunStore(),
        model: new ScriptedModel(['Hello.']),
        processors: [
          {
            id: 'asker',
            wrapModelCall: ({ request, next, resumeData, suspend }) =>
              resumeData === undefined ? suspend() : next(request),
          },
        ],
      })
      const stream = agent.stream('Hi')
      const first = await collect(stream.fullStream)
      const second = await collect(agent.resume(idOf(await stream.result), 'yes').fullStream)
      const types = [...first, ...second].map(({ type }) => type)
      expect(types.filter((type) => type === 'step-start')).toHaveLength(1)
    },
  )

  test.each([
    ['live', 'step'],
    ['step', 'live'],
  ] as const)(
    "suspended with emit '%s' and resumed with '%s' says all once, as it was reviewed",
    async (before, after) => {
      const storage = new InMemoryRunStore()
      const model = new ScriptedModel(['A secret.'])
      const processors: Processor[] = [
        askAt('processOutputStep'),
        {
          id: 'redactor',
          processOutputStep: ({ messages, messageList }) => {
            for (const { content } of messages)
              for (const part of content.parts)
                if (part.type === 'text') part.text = part.text.replace('secret', '***')
            return messageList
          },
        },
      ]
      const stream = new Agent({ model, storage, processors, emit: before }).stream('Hi')
      const first = await collect(stream.fullStream)
      const resumed = new Agent({ model, storage, processors, emit: after }).resume(
        idOf(await stream.result),
        'yes',
      )
      const second = await collect(resumed.fullStream)
      expect(await resumed).toHaveText('A ***.')
      if (before === 'live') {
        expect(textOf([...first, ...second])).toBe('A secret.')
        expect(second).toContainEqual(expect.objectContaining({ type: 'response-replaced', text: 'A ***.' }))
      } else {
        expect(textOf([...first, ...second])).toBe('A ***.')
        expect([...first, ...second]).toLeakNothingOf('secret')
      }
    },
  )

  test.each(['processInput', 'processToolCall'] as const)(
    'starts with the id of the continued message, also if that has not started: %s',
    async (hook) => {
      const agent = new Agent({
        storage: new InMemoryRunStore(),
        model: new ScriptedModel([toolCall('look'), 'Done.']),
        tools,
        processors: [askAt(hook)],
      })
      const stream = agent.stream('Hi')
      const [start] = await collect(stream.fullStream)
      const resumed = agent.resume(idOf(await stream.result), 'yes')
      const [again] = await collect(resumed.fullStream)
      const result = await resumed
      expect(again).toMatchObject({ type: 'start', runId: result.runId })
      expect((again as { messageId: string }).messageId).toBe((start as { messageId: string }).messageId)
      expect(result.messages.map(({ id }) => id)).toEqual([(start as { messageId: string }).messageId])
    },
  )
})
