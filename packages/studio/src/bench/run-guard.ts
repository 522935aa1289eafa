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

/** What a guard did with a text. */
export type GuardRun = Pick<StrategyOutput, 'outcome' | 'text' | 'reason'> & {
  /** For a streamed text: the emitted chunks, and the maximum of characters that were held back. */
  chunks?: number
  maxHeld?: number
}

export interface RunGuardOptions {
  surface: Surface
  /** Characters per chunk of a streamed answer. Default: one chunk. */
  pieceSize?: number
}

/** Runs a guard on a text, as an agent does on this surface. */
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
    // The guard removed the whole input.
    if (MillraceError.isInstance(error) && error.code === 'PROCESSOR_EMPTY_INPUT')
      return { outcome: 'removed' }
    if (Halt.isInstance(error)) return { outcome: 'halted', reason: error.response, ...counts }
    throw error
  }
}

interface Passing extends RunGuardOptions {
  held: { now: number; most: number; chunks: number }
}

/** The text after the guard; `undefined` if all of it was removed. */
async function passed(
  pipeline: ProcessorPipeline,
  text: string,
  { surface, pieceSize, held }: Passing,
): Promise<string | undefined> {
  if (surface === 'input') {
    const { messages } = await pipeline.processInput(text)
    // Some guards check the prompt again before the model call.
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

/** The text as model chunks. Before each, measures how much is held back. */
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
