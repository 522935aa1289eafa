import { getEventListeners } from 'node:events'
import { type Chunk, MillraceError, type RunResult, type RunStream } from '@millrace/core'
import { readUIMessageStream, type UIMessage } from 'ai'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerTo, build, mayHang, type Scene, scenes, ticks } from './scene.ts'

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

test('whatever hooks, tools, models and readers do, a run ends once, with one status', async () => {
  await fc.assert(fc.asyncProperty(scenes, play))
})

const LAST: readonly Chunk['type'][] = ['finish', 'tripwire', 'suspended', 'abort', 'error']

/** Plays a scene to its end, and resumes what suspends. That it ends at all is most of the test. */
async function play(scene: Scene): Promise<void> {
  unhandled.length = 0
  const { agent, executed } = build(scene)
  const controller = new AbortController()
  const options = { abortSignal: controller.signal, ...(mayHang(scene) && { timeout: 15 }) }
  if (scene.abortAfter !== null) void ticks(scene.abortAfter).then(() => controller.abort())

  let message: UIMessage | undefined
  const consume = async (stream: RunStream<RunResult>): Promise<RunResult> => {
    if (scene.consumer === 'client') message = await readAsClient(stream, message)
    else await read(stream, scene)
    return stream.result
  }
  try {
    let result =
      scene.consumer === 'generate'
        ? await agent.generate('Go', options)
        : await consume(agent.stream('Go', options))
    for (let count = 0; result.status === 'suspended'; count++) {
      expect(count).toBeLessThan(20)
      const resumed = agent.resume(result.suspension.runId, answerTo(result), options)
      result = await (scene.consumer === 'generate' ? resumed : consume(resumed))
    }
    if (result.status === 'completed' || result.status === 'limit') checkResult(result, scene, message)
  } catch (error) {
    if (!MillraceError.isInstance(error)) throw error
  }
  expect([...executed.values()].every((times) => times === 1)).toBe(true)
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
}

async function read(stream: RunStream<RunResult>, { consumer, patience }: Scene): Promise<void> {
  const types: Chunk['type'][] = []
  switch (consumer) {
    case 'fullStream':
      for await (const { type } of stream.fullStream) types.push(type)
      expect(types[0]).toBe('start')
      expect(types.filter((type) => LAST.includes(type))).toEqual([types.at(-1)])
      return
    case 'leaves':
      for await (const { type } of stream.fullStream) if (types.push(type) > patience) return
      return
    case 'textStream':
      for await (const _ of stream.textStream) {
        // Only that it ends.
      }
  }
}

/** The message as the AI SDK's own reader makes it; chunks it cannot take are errors. */
async function readAsClient(
  stream: RunStream<RunResult>,
  message: UIMessage | undefined,
): Promise<UIMessage | undefined> {
  let latest = message
  const chunks = stream.toUIMessageStream({ onError: () => 'a fault' }) as ReadableStream<never>
  const errors: string[] = []
  const onError = (error: unknown): void => void errors.push(String(error))
  for await (const state of readUIMessageStream({ stream: chunks, onError, ...(message && { message }) }))
    latest = state
  expect(errors.filter((error) => !error.includes('a fault'))).toEqual([])
  return latest
}

/** Every call has its result, ids are unique, and a client has the same text. */
function checkResult(result: RunResult, { processors }: Scene, message: UIMessage | undefined): void {
  const parts = result.messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) => content.parts)
  const calls = parts.flatMap((part) => ('toolCallId' in part ? [part] : []))
  expect(calls.filter(({ state }) => !state.startsWith('output-'))).toEqual([])
  expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(calls.length)
  expect(new Set(result.messages.map(({ id }) => id)).size).toBe(result.messages.length)
  if (!message || processors.some(({ deeds }) => deeds.processDelivery)) return
  expect(textOf(message.parts)).toBe(textOf(parts))
}

function textOf(parts: readonly { type: string }[]): string {
  return parts.map((part) => (part.type === 'text' && 'text' in part ? part.text : '')).join('')
}
