import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Agent, type Processor } from '@millrace/core'
import { apiError, cut, finish, refuse, ScriptedModel, text, tokens, toolCall } from '@millrace/testing'
import { MockEmbeddingModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { proxied } from './openai-scene.ts'

/** The Python to use: with a package `openai`, such as that of a virtual environment. */
const python = process.env.PYTHON ?? 'python3'
const isInstalled = (() => {
  try {
    execFileSync(python, ['-c', 'import openai'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

test.skipIf(!isInstalled)(
  `OpenAI’s client for Python works (skipped where '${python}' cannot import openai: set PYTHON)`,
  async () => {
    const guard: Processor = { id: 'guard', processInput: ({ abort }) => abort('Not about that.') }
    const usage = () => finish({ usage: tokens({ input: 7, output: 3 }) })
    const model = new ScriptedModel([
      [text(['Hi ', 'Ada']), usage()],
      text(['Hi ', 'Ada']),
      toolCall('add', { a: 1 }),
      [text(['Hi ', 'Ada']), usage()],
      [text(['Hi ', 'Ada']), toolCall('add', { a: 1 })],
    ])
    const refusing = (status: number, message: string) =>
      new ScriptedModel([refuse(apiError({ status, message }))], { repeat: 'last' })
    const refused = {
      'too-long': refusing(400, 'prompt is too long: 9 tokens'),
      'wrong-key': refusing(401, 'Incorrect API key'),
      'no-credit': refusing(402, 'Insufficient Balance'),
    }
    const { baseURL } = await proxied(model, {
      proxy: { small: model, ...refused, cut: new ScriptedModel([['Half an', cut()]]) },
      agents: { support: new Agent({ model: new ScriptedModel([]), processors: [guard] }) },
      embeddings: {
        vectors: new MockEmbeddingModelV4({
          doEmbed: async ({ values }) => ({ embeddings: values.map(({ length }) => [length]), warnings: [] }),
        }),
      },
    })
    const program = join(import.meta.dirname, 'python-client.py')
    const { stdout } = await promisify(execFile)(python, [program, baseURL])
    expect(JSON.parse(stdout)).toEqual({
      chat: ['Hi Ada', 10],
      chat_stream: ['Hi ', 'Ada'],
      chat_call: ['add', '{"a":1}'],
      response: ['completed', 'Hi Ada', 10],
      events: [
        'response.output_text.delta',
        'response.output_text.delta',
        'response.function_call_arguments.delta',
      ],
      response_stream: ['message', 'function_call'],
      refused: [
        [400, 'context_length_exceeded'],
        [502, 'provider_auth'],
        [402, null],
      ],
      cut: 'provider_interrupted',
      rejected: 'content_filter',
      rejected_stream: 'content_filter',
      embeddings: [[1], [2]],
      models: ['support', 'small', 'too-long', 'wrong-key', 'no-credit', 'cut', 'vectors'],
    })
    // The client has a patience of two retries, and none of these can succeed.
    expect(Object.values(refused).map(({ callCount }) => callCount)).toEqual([1, 1, 1])
  },
)
