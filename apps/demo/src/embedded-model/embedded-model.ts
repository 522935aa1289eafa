import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { type Reply, replyTo } from './reply.ts'
import type { ToolRequest } from './tool-requests.ts'

/** Waits between two pieces of an answer; rejects when the signal is aborted. */
export type Pace = (signal: AbortSignal | undefined) => Promise<unknown>

const STOP = { unified: 'stop', raw: undefined } as const
const TOOL_CALLS = { unified: 'tool-calls', raw: undefined } as const

/**
 * A rule-based language model: it makes small talk, calls tools, and can be tricked into revealing its secret. The same
 * prompt always gets the same answer, in pieces of at most four letters.
 */
export function embeddedModel({ pace }: { pace?: Pace } = {}): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'demo',
    modelId: 'embedded',
    supportedUrls: {},

    async doGenerate(options) {
      const reply = answer(options)
      const isText = 'text' in reply
      return {
        content: isText
          ? [{ type: 'text', text: reply.text }]
          : reply.calls.map((call, index) => ({ type: 'tool-call', ...toolCall(call, index) })),
        finishReason: isText ? STOP : TOOL_CALLS,
        usage: usage(options, reply),
        warnings: [],
      }
    },

    async doStream(options) {
      options.abortSignal?.throwIfAborted()
      return { stream: ReadableStream.from(streamed(options, pace)) }
    },
  }
}

async function* streamed(
  options: LanguageModelV4CallOptions,
  pace: Pace | undefined,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const reply = answer(options)
  yield { type: 'stream-start', warnings: [] }
  if ('text' in reply) {
    yield { type: 'text-start', id: 'text' }
    for (const delta of pieces(reply.text)) {
      await pace?.(options.abortSignal)
      options.abortSignal?.throwIfAborted()
      yield { type: 'text-delta', id: 'text', delta }
    }
    yield { type: 'text-end', id: 'text' }
  } else {
    for (const [index, call] of reply.calls.entries()) yield { type: 'tool-call', ...toolCall(call, index) }
  }
  yield {
    type: 'finish',
    finishReason: 'text' in reply ? STOP : TOOL_CALLS,
    usage: usage(options, reply),
  }
}

function answer({ prompt, tools = [], toolChoice }: LanguageModelV4CallOptions): Reply {
  const usable = toolChoice?.type === 'none' ? [] : tools
  return replyTo(prompt, new Set(usable.map(({ name }) => name)))
}

function pieces(text: string): string[] {
  return text.match(/\s*\S{1,4}/gu) ?? []
}

function toolCall(
  { toolName, input }: ToolRequest,
  index: number,
): { toolCallId: string; toolName: string; input: string } {
  return { toolCallId: `call-${index + 1}`, toolName, input: JSON.stringify(input) }
}

/** Estimates four characters per token. */
function usage({ prompt }: LanguageModelV4CallOptions, reply: Reply) {
  const input = Math.ceil(JSON.stringify(prompt).length / 4)
  const output = Math.ceil(('text' in reply ? reply.text : JSON.stringify(reply.calls)).length / 4)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  }
}
