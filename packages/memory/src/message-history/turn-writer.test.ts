import { Agent, type Processor, type ProcessorPipeline, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { HistoryBench, place } from '../../test/history-bench.ts'
import { lines, saidByAssistant, saidByUser } from '../../test/texts.ts'
import { MessageHistoryProcessor } from './message-history-processor.ts'
import { TURN_MARK } from './turn-mark.ts'

expect.extend(matchers)

let bench: HistoryBench

beforeEach(() => {
  bench = new HistoryBench()
})

describe('a turn', () => {
  test("costs one query and one transaction with persist: 'turn'", async () => {
    await bench.agentWith(new ScriptedModel(['Hi']), { persist: 'turn' }).generate('Hello', place)
    expect(bench.calls).toEqual(['listMessages', 'saveMessages'])
  })

  test('costs two queries and two transactions by default, because its question is saved first', async () => {
    await bench.agentWith(new ScriptedModel(['Hi']), {}).generate('Hello', place)
    expect(bench.calls).toEqual(['listMessages', 'getMessages', 'saveMessages', 'saveMessages'])
  })

  test('that is regenerated replaces the messages after its user message', async () => {
    const model = new ScriptedModel(['one', 'two', 'three', 'four'])
    const agent = bench.agentWith(model, {})
    await agent.generate([saidByUser('Hello', 'm1')], place)
    await agent.generate([saidByUser('More', 'm2')], place)
    await agent.generate([saidByUser('More', 'm2')], place)
    expect(lines(await bench.stored())).toEqual([
      'user: Hello',
      'assistant: one',
      'user: More',
      'assistant: three',
    ])
    expect(model.lastPrompt).toHaveLength(3)
    await agent.generate([saidByUser('Hello, edited', 'm1')], place)
    expect(lines(await bench.stored())).toEqual(['user: Hello, edited', 'assistant: four'])
    expect(model.lastPrompt).toHaveLength(1)
  })

  test('that is regenerated much later only sees the messages before it', async () => {
    await bench.seed(Array.from({ length: 60 }, (_, index) => saidByUser(`${index}`, `m${index}`)))
    const { messages } = await bench.pipeline({ lastMessages: 2 }).processInput([saidByUser('again', 'm10')])
    expect(lines(messages)).toEqual(['user: 8', 'user: 9', 'user: again'])
    expect(bench.calls).toEqual(['listMessages'])
  })

  test('that was stopped and is regenerated is saved once', async () => {
    const controller = new AbortController()
    const model = new ScriptedModel([['Partial answer'], 'Whole answer'])
    const agent = bench.agentWith(model, {})
    const stopped = agent.stream([saidByUser('Hello', 'm1')], { ...place, abortSignal: controller.signal })
    for await (const chunk of stopped.fullStream) if (chunk.type === 'text-delta') controller.abort()
    expect((await stopped.result).status).toBe('aborted')
    const stored = await bench.stored()
    expect(lines(stored)).toEqual(['user: Hello', 'assistant: Partial '])
    expect(stored.map(({ content }) => content.metadata?.[TURN_MARK])).toEqual(['stopped', 'stopped'])
    await agent.generate([saidByUser('Hello', 'm1')], place)
    const again = await bench.stored()
    expect(lines(again)).toEqual(['user: Hello', 'assistant: Whole answer'])
    expect(again.map(({ content }) => content.metadata?.[TURN_MARK])).toEqual([undefined, undefined])
  })

  test.each([
    ['before it', (guard: object, memory: MessageHistoryProcessor) => [guard, memory]],
    [
      'after it, while the model answers',
      (guard: object, memory: MessageHistoryProcessor) => [memory, guard],
    ],
  ])('that a processor blocks %s saves nothing', async (_, order) => {
    const guard = {
      id: 'guard',
      processOutputStep: ({ abort }: { abort: (reason: string) => never }) => abort('No.'),
    }
    const memory = new MessageHistoryProcessor({ storage: bench.storage })
    const agent = new Agent({ model: new ScriptedModel(['Bad']), processors: order(guard, memory) as never })
    expect(await agent.generate('Hello', place)).toHaveTripped({ processorId: 'guard' })
    expect(await bench.stored()).toEqual([])
  })

  test('that a later processor retries is saved with the new answer only', async () => {
    const critic: Processor = {
      id: 'critic',
      processOutputResult: ({ result, abort }) =>
        result.text === 'Bad' ? abort('Better, please.', { retry: true }) : undefined,
    }
    for (const persist of ['turn', 'step'] as const) {
      const memory = new MessageHistoryProcessor({ storage: bench.storage, persist })
      const agent = new Agent({ model: new ScriptedModel(['Bad', 'Good']), processors: [memory, critic] })
      expect(await agent.generate('Hello', place)).toHaveText('Good')
      expect(lines(await bench.stored())).toEqual(['user: Hello', 'assistant: Good'])
      await bench.storage.deleteThread(place)
    }
  })

  test('with an invalid id throws a configuration error, not a storage error', async () => {
    const agent = bench.agentWith(new ScriptedModel([]), {})
    await expect(agent.generate('Hello', { threadId: '' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(agent.generate('Hello', { ...place, resourceId: 'x'.repeat(600) })).rejects.toThrow(
      /resourceId/,
    )
  })

  test('keeps the question of a run that fails before it has an answer', async () => {
    const agent = bench.agentWith(new ScriptedModel([]), {})
    await expect(agent.generate('Hello', place)).rejects.toThrow()
    expect(lines(await bench.stored())).toEqual(['user: Hello'])
  })

  test('that a processor halts is saved with its answer', async () => {
    const guard = {
      id: 'guard',
      processInputStep: ({ halt }: { halt: (text: string) => never }) => halt('Closed.'),
    }
    const memory = new MessageHistoryProcessor({ storage: bench.storage })
    const agent = new Agent({ model: new ScriptedModel([]), processors: [guard, memory] })
    expect(await agent.generate('Hello', place)).toHaveStatus('halted')
    expect(lines(await bench.stored())).toEqual(['user: Hello', 'assistant: Closed.'])
  })

  test('does not save remembered messages and context', async () => {
    await bench.seed([saidByUser('old'), saidByAssistant('older answer')])
    const context = {
      id: 'context',
      processInput: ({ messageList }: { messageList: ProcessorPipeline['messageList'] }) => {
        messageList.add(saidByUser('A fact'), 'context')
        for (const message of messageList.get('remembered')) message.content.parts = []
      },
    }
    const memory = new MessageHistoryProcessor({ storage: bench.storage })
    const agent = new Agent({ model: new ScriptedModel(['Hi']), processors: [memory, context] })
    await agent.generate('Hello', place)
    expect(lines(await bench.stored())).toEqual([
      'user: old',
      'assistant: older answer',
      'user: Hello',
      'assistant: Hi',
    ])
  })

  test('is saved when it is resumed after a suspension, in any process', async () => {
    const ask = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'done' })
    const options = { tools: { ask }, storage: bench.storage }
    const first = bench.agentWith(new ScriptedModel([[toolCall('ask', {})]]), {}, options)
    const result = await first.generate('Do it', place)
    expect(result).toHaveStatus('suspended')
    expect(lines(await bench.stored())).toEqual(['user: Do it'])
    const second = bench.agentWith(new ScriptedModel(['Did it']), {}, options)
    await second.resume(result.suspension?.runId ?? '', { approved: true }, place)
    expect(lines(await bench.stored())).toEqual(['user: Do it', 'assistant: Did it'])
    expect(await bench.stored()).toPairEveryToolCall()
  })
})
