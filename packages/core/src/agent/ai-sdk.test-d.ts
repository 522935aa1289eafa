import { openai } from '@ai-sdk/openai'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  type ModelMessage as AIModelMessage,
  type ToolSet as AIToolSet,
  type UIMessage as AIUIMessage,
  tool as aiTool,
  dynamicTool,
  jsonSchema,
  type LanguageModel,
} from 'ai'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { AgentInput } from '../messages/agent-input.ts'
import type { Message, UIMessage } from '../messages/message.ts'
import type { LanguageModel as OurLanguageModel } from '../model/language-model.ts'
import type { Chunk } from '../results/chunk.ts'
import type { RunResult } from '../results/result.ts'
import { tool } from '../tools/tool.ts'
import { Agent } from './agent.ts'

declare const model: LanguageModelV4

const weather = tool({
  inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
  execute: ({ city }) => ({ city, rain: true }),
})
const progress = tool({
  inputSchema: z.object({ file: z.string() }),
  async *execute({ file }) {
    yield `${file} 50 %`
  },
})

test('UI messages go both ways', () => {
  expectTypeOf<UIMessage>().toExtend<AIUIMessage>()
  expectTypeOf<AIUIMessage>().toExtend<UIMessage>()
  expectTypeOf<UIMessage['parts'][number]>().toExtend<AIUIMessage['parts'][number]>()
  expectTypeOf<AIUIMessage['parts'][number]>().toExtend<UIMessage['parts'][number]>()
})

test("the AI SDK's messages are input", () => {
  expectTypeOf<AIUIMessage[]>().toExtend<AgentInput>()
  expectTypeOf<AIModelMessage[]>().toExtend<AgentInput>()
  expectTypeOf<Message[]>().toExtend<AgentInput>()
  expectTypeOf<string>().toExtend<AgentInput>()
})

test("the AI SDK's models are models", () => {
  expectTypeOf<LanguageModelV4>().toExtend<OurLanguageModel>()
  expectTypeOf<LanguageModel>().toExtend<OurLanguageModel>()
  new Agent({ model: openai('gpt-4o') })
})

test("the AI SDK's tools are tools", () => {
  const own = aiTool({
    description: 'The weather',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, rain: true }),
  })
  new Agent({ model, tools: { own } })
  new Agent({ model, tools: { any: dynamicTool({ inputSchema: z.unknown(), execute: async () => 'any' }) } })
  new Agent({ model, tools: { search: openai.tools.webSearch({}) } })
  new Agent({ model, tools: {} as AIToolSet })
  new Agent({ model, tools: { client: aiTool({ inputSchema: z.object({ question: z.string() }) }) } })
})

test('inputs and outputs of tools are told apart by name', async () => {
  const agent = new Agent({ model, tools: { weather, progress } })
  const { steps } = await agent.generate('Hello')
  for (const call of steps.flatMap(({ toolCalls }) => toolCalls)) {
    expectTypeOf(call.toolName).toEqualTypeOf<'weather' | 'progress'>()
    if (call.toolName === 'weather') expectTypeOf(call.input).toEqualTypeOf<{ city: string; days: number }>()
    else expectTypeOf(call.input).toEqualTypeOf<{ file: string }>()
  }
  for (const result of steps.flatMap(({ toolResults }) => toolResults)) {
    if (result.status !== 'success') continue
    if (result.toolName === 'weather')
      expectTypeOf(result.output).toEqualTypeOf<{ city: string; rain: boolean }>()
    else expectTypeOf(result.output).toEqualTypeOf<string>()
  }
})

test('the answer has the type of its schema', async () => {
  const agent = new Agent({ model })
  const city = z.object({ name: z.string(), size: z.number().optional() })
  const result = await agent.generate('Hello', { output: city })
  if (result.status === 'completed') expectTypeOf(result.object).toEqualTypeOf<z.infer<typeof city>>()
  else expectTypeOf(result.object).toEqualTypeOf<undefined>()

  const sdk = await agent.generate('Hello', { output: jsonSchema<{ name: string }>({ type: 'object' }) })
  if (sdk.status === 'completed') expectTypeOf(sdk.object).toEqualTypeOf<{ name: string }>()

  const plain = await agent.generate('Hello')
  expectTypeOf(plain.object).toEqualTypeOf<undefined>()
  expectTypeOf(plain.text).toEqualTypeOf<string>()

  const stream = agent.stream('Hello', { output: city })
  expectTypeOf(stream.object).toEqualTypeOf<Promise<z.infer<typeof city> | undefined>>()
  expectTypeOf(stream.fullStream).toEqualTypeOf<AsyncIterable<Chunk>>()
})

test('an outcome has what its status says', () => {
  const result = {} as RunResult
  if (result.status === 'tripwire') {
    expectTypeOf(result.rejection.reason).toEqualTypeOf<string>()
    expectTypeOf(result.tripwire).toEqualTypeOf<true>()
  }
  if (result.status === 'completed') expectTypeOf(result.rejection).toEqualTypeOf<undefined>()
})
