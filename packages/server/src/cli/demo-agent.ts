import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { Agent } from '@millrace/core'
import type { Memory } from '@millrace/memory'

/** An agent for trying the server. Its model follows a script and needs no API key. */
export function demoAgent(memory: Memory): Agent {
  return new Agent({ name: 'demo', instructions: 'You show what the server does.', model: demoModel, memory })
}

const STOP = { unified: 'stop', raw: undefined } as const

const demoModel: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'demo',
  modelId: 'demo',
  supportedUrls: {},
  async doGenerate(options) {
    const text = answerTo(options)
    return {
      content: [{ type: 'text', text }],
      finishReason: STOP,
      usage: usageOf(options, text),
      warnings: [],
    }
  },
  async doStream(options) {
    return { stream: ReadableStream.from(streamed(options)) }
  },
}

async function* streamed(options: LanguageModelV4CallOptions): AsyncGenerator<LanguageModelV4StreamPart> {
  const text = answerTo(options)
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'text-start', id: 'text' }
  for (const delta of text.match(/^\s+|\S+\s*/gu) ?? []) {
    options.abortSignal?.throwIfAborted()
    yield { type: 'text-delta', id: 'text', delta }
  }
  yield { type: 'text-end', id: 'text' }
  yield { type: 'finish', finishReason: STOP, usage: usageOf(options, text) }
}

function answerTo({ prompt }: LanguageModelV4CallOptions): string {
  const said = prompt.filter(({ role }) => role === 'user').map(textOf)
  const last = said.at(-1) ?? ''
  if (/^\s*(?:hi|hello|hey)\b/i.test(last)) {
    return 'Hello! I am the demo agent: my answers follow a script. Ask me what I remember.'
  }
  if (/\bremember\b/i.test(last)) {
    const before = said.slice(0, -1).map((text) => `"${text}"`)
    return before.length === 0 ? 'This is your first message.' : `You said before: ${before.join(', ')}.`
  }
  return `You said: "${last}". Give the server a configuration with an agent of yours to get real answers.`
}

function textOf({ content }: LanguageModelV4CallOptions['prompt'][number]): string {
  return typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Estimates four characters per token. */
function usageOf(
  { prompt }: LanguageModelV4CallOptions,
  answer: string,
): Awaited<ReturnType<LanguageModelV4['doGenerate']>>['usage'] {
  const input = Math.ceil(prompt.map(textOf).join('').length / 4)
  const output = Math.ceil(answer.length / 4)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  }
}
