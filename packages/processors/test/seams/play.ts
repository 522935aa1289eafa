import {
  Agent,
  type AgentInput,
  type Chunk,
  type Processor,
  type RunResult,
  type ToolSet,
  tool,
  type UIMessage,
} from '@millrace/core'
import type { Finding } from '@millrace/guards/guard'
import { collect, ScriptedModel, type TurnContent } from '@millrace/testing'
import { readUIMessageStream, type UIMessageChunk as SDKChunk } from 'ai'
import { z } from 'zod'

const EVENTS = ['run-start', 'step-finish', 'tool-finish', 'processor', 'run-finish', 'run-error'] as const

const look: ToolSet = {
  look: tool({ inputSchema: z.any(), execute: () => 'seen' }),
}

export interface Scene {
  readonly turns: TurnContent[]
  readonly input?: AgentInput
  readonly tools?: ToolSet
  /** Processors before the guard, such as a memory. */
  readonly others?: readonly Processor[]
  readonly emit?: 'live' | 'step'
  readonly maxSteps?: number
}

export interface Played {
  readonly result: RunResult
  readonly chunks: readonly Chunk[]
  /** The final answer for a reader of the stream. */
  readonly streamed: string
  readonly prompts: readonly unknown[]
  /** What a store would keep. */
  readonly stored: readonly unknown[]
  /** Everything that is visible of the run. */
  readonly all: readonly unknown[]
}

/** Plays a run with a guard. */
export async function play(
  guard: Processor,
  { turns, input = 'Hi', tools = look, others = [], emit = 'live', maxSteps = 5 }: Scene,
): Promise<Played> {
  const model = new ScriptedModel(turns)
  const stored: unknown[] = []
  const store: Processor = {
    id: 'store',
    processOutputResult: ({ messageList, result }) => {
      stored.push(structuredClone([messageList.get(), result.steps, result.text]))
    },
  }
  const agent = new Agent({ name: 'a', model, tools, processors: [...others, guard, store] })
  const events: unknown[] = []
  for (const name of EVENTS) agent.on(name, (event) => events.push(event))
  const stream = agent.stream(input, { emit, maxSteps })
  const chunks: Chunk[] = await collect(stream.fullStream)
  const result = await stream.result
  await agent.close()
  const prompts = model.calls.map(({ prompt }) => prompt)
  const streamed = streamedText(chunks)
  return {
    result,
    chunks,
    streamed,
    prompts,
    stored,
    all: [result, chunks, prompts, stored, events],
  }
}

/** The final answer for a reader of the stream, without discarded steps. */
function streamedText(chunks: readonly Chunk[]): string {
  let out = ''
  let step = ''
  for (const chunk of chunks) {
    if (chunk.type === 'step-start' || chunk.type === 'step-discarded') {
      if (chunk.type === 'step-start') out += step
      step = ''
    }
    if (chunk.type === 'text-delta') step += chunk.textDelta
  }
  return out + step
}

/** The final message of a chat client of the AI SDK. */
export async function playToClient(guard: Processor, turns: TurnContent[]): Promise<UIMessage | undefined> {
  const agent = new Agent({ model: new ScriptedModel(turns), tools: look, processors: [guard] })
  const stream = agent.stream('Hi').toUIMessageStream() as unknown as ReadableStream<SDKChunk>
  let last: unknown
  for await (const message of readUIMessageStream({ stream })) last = message
  return last as UIMessage | undefined
}

export function collector(): { findings: Finding[]; onDetection: (finding: Finding) => void } {
  const findings: Finding[] = []
  return { findings, onDetection: (finding) => void findings.push(finding) }
}

/** Cuts a text at the given positions. */
export function cutAt(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...[...places].sort((one, other) => one - other), text.length]
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end))
}
