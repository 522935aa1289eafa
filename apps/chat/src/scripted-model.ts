import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { type Reply, replyTo } from './replies.ts'

/** Waits between two words of an answer; rejects when the signal is aborted. */
export type Pace = (signal: AbortSignal | undefined) => Promise<unknown>

/** A rule-based language model, so that the app runs without a key: the same prompt always gets the same answer. */
export function scriptedModel({ pace }: { pace?: Pace } = {}): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'example',
    modelId: 'scripted',
    supportedUrls: {},

    async doGenerate({ prompt }) {
      const reply = replyTo(prompt)
      return {
        content:
          'text' in reply ? [{ type: 'text', text: reply.text }] : [{ type: 'tool-call', ...asCall(reply) }],
        finishReason: { unified: 'text' in reply ? 'stop' : 'tool-calls', raw: undefined },
        usage: usage(prompt, reply),
        warnings: [],
      }
    },

    async doStream(options) {
      options.abortSignal?.throwIfAborted()
      const parts = streamed(options, pace)
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        async pull(controller) {
          const { value, done } = await parts.next()
          if (done) controller.close()
          else controller.enqueue(value)
        },
      })
      return { stream }
    },
  }
}

async function* streamed(
  { prompt, abortSignal }: LanguageModelV4CallOptions,
  pace: Pace | undefined,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const reply = replyTo(prompt)
  yield { type: 'stream-start', warnings: [] }
  if ('text' in reply) {
    yield { type: 'text-start', id: 'text' }
    for (const delta of reply.text.match(/\s*\S+/gu) ?? []) {
      await pace?.(abortSignal)
      abortSignal?.throwIfAborted()
      yield { type: 'text-delta', id: 'text', delta }
    }
    yield { type: 'text-end', id: 'text' }
  } else {
    yield { type: 'tool-call', ...asCall(reply) }
  }
  yield {
    type: 'finish',
    finishReason: { unified: 'text' in reply ? 'stop' : 'tool-calls', raw: undefined },
    usage: usage(prompt, reply),
  }
}

function asCall({ toolName, input }: Extract<Reply, { toolName: string }>): {
  toolCallId: string
  toolName: string
  input: string
} {
  return { toolCallId: crypto.randomUUID(), toolName, input: JSON.stringify(input) }
}

/** Estimates four characters per token. */
function usage(prompt: unknown, reply: Reply): LanguageModelV4Usage {
  const input = Math.ceil(JSON.stringify(prompt).length / 4)
  const output = Math.ceil(JSON.stringify(reply).length / 4)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  }
}
