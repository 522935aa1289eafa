import type { UIMessage as AIUIMessage, UIMessageChunk as AIUIMessageChunk } from 'ai'
import { expectTypeOf, test } from 'vitest'
import type { Agent } from '../agent/agent.ts'
import type { RunDataParts, UIMessageChunk } from '../results/ui-message-chunk.ts'

declare const agent: Agent

test("our chunks are the AI SDK's", () => {
  expectTypeOf<UIMessageChunk>().toExtend<AIUIMessageChunk>()
  expectTypeOf(agent.stream('Hello').toUIMessageStream()).toExtend<ReadableStream<AIUIMessageChunk>>()
  expectTypeOf(agent.resume('run').toUIMessageStreamResponse()).toEqualTypeOf<Response>()
})

test('the data parts of a run are a type for clients', () => {
  const part = {} as AIUIMessage<unknown, RunDataParts>['parts'][number]
  if (part.type === 'data-tripwire') expectTypeOf(part.data.reason).toEqualTypeOf<string>()
  if (part.type === 'data-suspended') expectTypeOf(part.data.runId).toEqualTypeOf<string>()
})
