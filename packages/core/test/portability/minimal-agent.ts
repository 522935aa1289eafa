import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { Agent, type StandardSchema, tool } from '@millrace/core'

/** Runs one agent with one tool, both ways, without anything but `@millrace/core`. */
export async function ask(question: string): Promise<{ generated: string; streamed: string }> {
  const agent = new Agent({ model, tools: { weather }, instructions: 'Answer briefly.' })
  const { text } = await agent.generate(question)
  let streamed = ''
  for await (const delta of agent.stream(question).textStream) streamed += delta
  return { generated: text, streamed }
}

const city: StandardSchema<{ city: string }> = {
  '~standard': {
    version: 1,
    vendor: 'inline',
    validate: (value) => ({ value: value as { city: string } }),
    jsonSchema: { input: () => ({ type: 'object', properties: { city: { type: 'string' } } }) },
  },
}

const weather = tool({ inputSchema: city, execute: async ({ city }) => `rain in ${city}` })

/** Calls the tool, then tells what it returned. */
const model: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'inline',
  modelId: 'inline',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('The agent streams.')),
  doStream: async (options) => ({ stream: streamOf(answerTo(options)) }),
}

function answerTo({ prompt }: LanguageModelV4CallOptions): LanguageModelV4StreamPart[] {
  const last = prompt.at(-1)
  if (last?.role !== 'tool') {
    return [
      { type: 'tool-call', toolCallId: 'call-1', toolName: 'weather', input: '{"city":"Oslo"}' },
      finish('tool-calls'),
    ]
  }
  const [result] = last.content
  const output = result?.type === 'tool-result' && result.output.type === 'text' ? result.output.value : ''
  return [
    { type: 'text-start', id: 'text-1' },
    { type: 'text-delta', id: 'text-1', delta: 'There is ' },
    { type: 'text-delta', id: 'text-1', delta: `${output}.` },
    { type: 'text-end', id: 'text-1' },
    finish('stop'),
  ]
}

function finish(reason: 'stop' | 'tool-calls'): LanguageModelV4StreamPart {
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: undefined, reasoning: undefined },
    },
  }
}

function streamOf(parts: LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] })
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}
