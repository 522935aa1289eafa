import {
  type Chunk,
  Halt,
  type Message,
  MillraceError,
  type Processor,
  ProcessorPipeline,
  TripWire,
  textOfParts,
} from '@millrace/core'
import type { StrategyOutput } from '../wire.ts'
import type { Surface } from './guard-catalogue.ts'

/** What a guard made of a text. */
export type GuardRun = Pick<StrategyOutput, 'outcome' | 'text' | 'reason'> & {
  /** Of a streamed text: chunks that came out, and most characters that were held back at a time. */
  chunks?: number
  maxHeld?: number
}

export interface RunGuardOptions {
  surface: Surface
  /** Characters of a piece, where the text is an answer that is streamed. Default: all at once. */
  pieceSize?: number
}

/** Takes a text through a guard, as a run would on this surface. */
export async function runGuard(
  processor: Processor,
  text: string,
  options: RunGuardOptions,
): Promise<GuardRun> {
  if (text === '') return { outcome: 'passed', text }
  const pipeline = new ProcessorPipeline([processor])
  const held = { now: 0, most: 0, chunks: 0 }
  try {
    const left = await passed(pipeline, text, { ...options, held })
    const counts = options.surface === 'answer' ? { chunks: held.chunks, maxHeld: held.most } : {}
    if (left === undefined) return { outcome: 'removed', ...counts }
    return { outcome: left === text ? 'passed' : 'changed', text: left, ...counts }
  } catch (error) {
    const counts = options.surface === 'answer' ? { chunks: held.chunks, maxHeld: held.most } : {}
    if (TripWire.isInstance(error)) return { outcome: 'blocked', reason: error.reason, ...counts }
    // All of the input was taken out.
    if (MillraceError.isInstance(error) && error.code === 'PROCESSOR_EMPTY_INPUT')
      return { outcome: 'removed' }
    if (Halt.isInstance(error)) return { outcome: 'halted', reason: error.response, ...counts }
    throw error
  }
}

interface Passing extends RunGuardOptions {
  held: { now: number; most: number; chunks: number }
}

/** What is left of the text; `undefined` where all of it was taken out. */
async function passed(
  pipeline: ProcessorPipeline,
  text: string,
  { surface, pieceSize, held }: Passing,
): Promise<string | undefined> {
  if (surface === 'input') {
    const { messages } = await pipeline.processInput(text)
    // Guards of prompts look again where the model is called.
    const { messages: sent } = await pipeline.processInputStep()
    return textIn(sent.length > 0 ? sent : messages)
  }
  await pipeline.processInput('Hello')
  await pipeline.processInputStep()
  if (surface === 'tool-result') {
    const call = { toolCallId: 'call', toolName: 'tool', input: {} }
    const result = await pipeline.processToolResult({ ...call, status: 'success', output: text })
    return 'output' in result ? asText(result.output) : 'error' in result ? String(result.error) : undefined
  }
  let hasText = false
  for await (const chunk of pipeline.processOutputStream(pieces(text, pieceSize, held))) {
    if (chunk.type !== 'text-delta') continue
    hasText = true
    held.now -= chunk.textDelta.length
    held.chunks++
  }
  const { text: left } = await pipeline.processOutputStep()
  return hasText || left !== '' || text === '' ? left : undefined
}

/** The text as the chunks of a model. Before each, what has not come out yet is counted. */
function* pieces(text: string, size: number | undefined, held: Passing['held']): Generator<Chunk> {
  yield { type: 'text-start', id: 'text' }
  const step = size === undefined || size === 0 ? Math.max(1, text.length) : size
  for (let start = 0; start < text.length; start += step) {
    if (start > 0) held.most = Math.max(held.most, held.now)
    const textDelta = text.slice(start, start + step)
    held.now += textDelta.length
    yield { type: 'text-delta', id: 'text', textDelta }
  }
  held.most = Math.max(held.most, held.now)
  yield { type: 'text-end', id: 'text' }
}

function textIn(messages: readonly Message[]): string | undefined {
  const message = messages.findLast(({ role }) => role === 'user')
  return message && textOfParts(message.content.parts)
}

function asText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
}
