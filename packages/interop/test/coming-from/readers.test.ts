import { Agent, type Processor, type RunResult, tool } from '@millrace/core'
import { llmStep, postInference, preToolCall, responseModifier } from '@millrace/interop/codebolt'
import { type ChatResponse, postLLM } from '@millrace/interop/oasis'
import { collect, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { readUIMessageStream, type UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { langchainMiddleware } from '../../src/langchain/index.ts'

expect.extend(matchers)

const SECRET = 'SECRET'
const clean = (said: string): string => said.replaceAll(SECRET, '[R]')

/** The hooks of other frameworks that change a response, each as a redactor. */
const REDACTORS: [string, () => Processor][] = [
  [
    'PostProcessor of Oasis',
    () =>
      postLLM({
        postLLM(response: ChatResponse) {
          response.Content = clean(response.Content)
        },
      }),
  ],
  [
    'PostInferenceProcessor of Codebolt, which changes the response',
    () =>
      postInference({
        modify(_, response, nextPrompt) {
          response.content = clean(response.content ?? '')
          return nextPrompt
        },
      }),
  ],
  [
    'PostInferenceProcessor of Codebolt, which changes the next prompt',
    () =>
      postInference({
        modify: (_, __, nextPrompt) => JSON.parse(clean(JSON.stringify(nextPrompt))),
      }),
  ],
  [
    'PreToolCallProcessor of Codebolt',
    () =>
      preToolCall({
        modify: ({ nextPrompt }) => ({ nextPrompt: JSON.parse(clean(JSON.stringify(nextPrompt))) }),
      }),
  ],
  [
    'ResponseModifier of Codebolt',
    () => responseModifier({ modify: (response) => ({ ...response, content: clean(response.content) }) }),
  ],
  [
    'LLMAgentStep of Codebolt',
    () => llmStep({ after: (response) => ({ ...response, content: clean(response.content) }) }),
  ],
  [
    'middleware of LangChain after the model',
    () =>
      langchainMiddleware({
        name: 'redactor',
        afterModel: ({ messages }: { messages: { id?: string; content: unknown; text: string }[] }) => {
          const answer = messages.at(-1)
          if (answer) answer.content = clean(answer.text)
        },
      } as never),
  ],
]

function play(redactor: Processor, emit: 'live' | 'step') {
  const model = new ScriptedModel([
    [text(`One ${SECRET}. `, { chunkSize: 3 }), toolCall('look')],
    [text(`Two ${SECRET}.`, { chunkSize: 3 })],
  ])
  const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }
  const agent = new Agent({ model, tools, emit, processors: [redactor] })
  return { model, run: agent.stream('Hi') }
}

const SAID = 'One [R]. Two [R].'
const textOf = (result: RunResult): string => result.steps.map((step) => step.text).join('')

describe.each(REDACTORS)('a %s', (_, make) => {
  test.each(['live', 'step'] as const)('is seen by every reader: emit %s', async (emit) => {
    const streamed = play(make(), emit)
    const pieces = await collect(streamed.run.textStream)
    expect(pieces.join('')).toBe(SAID)
    const result = await streamed.run.result
    expect(textOf(result)).toBe(SAID)
    expect([result, streamed.model.calls.map(({ prompt }) => prompt)]).toLeakNothingOf(SECRET)

    const chunks = await collect(play(make(), emit).run.fullStream)
    const accepted = chunks.slice(chunks.findLastIndex(({ type }) => type === 'response-replaced'))
    expect(accepted).toLeakNothingOf(SECRET)
    if (emit === 'step') expect(chunks).toLeakNothingOf(SECRET)

    let message: UIMessage | undefined
    const stream = play(make(), emit).run.toUIMessageStream() as ReadableStream<never>
    for await (const state of readUIMessageStream({ stream })) message = state
    expect(message).toLeakNothingOf(SECRET)
    expect(message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe(SAID)
  })
})
