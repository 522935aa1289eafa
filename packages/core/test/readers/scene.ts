import {
  raw,
  reasoning,
  ScriptedModel,
  type ScriptPart,
  source,
  type TurnContent,
  text,
  toolCall,
} from '@millrace/testing'
import { readUIMessageStream, type UIMessage } from 'ai'
import fc from 'fast-check'
import { expect } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../src/agent/agent.ts'
import type { RunStream } from '../../src/agent/run-stream.ts'
import type { Message, MessagePart } from '../../src/messages/message.ts'
import type { ProcessOutputStepArgs } from '../../src/processors/output-hooks.ts'
import type { Processor } from '../../src/processors/processor.ts'
import type { Chunk } from '../../src/results/chunk.ts'
import type { RunResult } from '../../src/results/result.ts'
import { InMemoryRunStore } from '../../src/storage/in-memory-run-store.ts'
import { tool } from '../../src/tools/tool.ts'

/** What processors remove, wherever it stands. */
export const SECRET = 'SECRET'

const HOOKS = ['processOutputStep', 'processOutputResult'] as const
type Hook = (typeof HOOKS)[number]

const WAYS = ['return', 'in place', 'parts', 'message', 'retry', 'abort', 'halt'] as const
type Way = (typeof WAYS)[number]

/** A step of the model. Every step but the last calls a tool. */
interface StepScript {
  texts: string[]
  extra: 'reasoning' | 'source' | 'text after the call' | 'two at once' | undefined
}

export interface Scene {
  steps: StepScript[]
  hook: Hook
  way: Way
  /** Whether another processor suspends the run in the same hook, before or after the change. */
  suspends: 'before' | 'after' | undefined
  /** Whether another processor only reviews the steps. */
  observes: boolean
  emit: 'live' | 'step'
  chunkSize: number
}

const words = fc.array(fc.constantFrom('It is ', 'so. ', SECRET, `${SECRET} `, 'ä🙂 ', ''), {
  minLength: 1,
  maxLength: 4,
})
const step = fc.record({
  texts: words,
  extra: fc.constantFrom('reasoning', 'source', 'text after the call', 'two at once', undefined),
})

export const scenes: fc.Arbitrary<Scene> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  hook: fc.constantFrom(...HOOKS),
  way: fc.constantFrom(...WAYS),
  suspends: fc.constantFrom('before', 'after', undefined),
  observes: fc.boolean(),
  emit: fc.constantFrom('live', 'step'),
  chunkSize: fc.integer({ min: 1, max: 12 }),
}) as fc.Arbitrary<Scene>

/** Whether a reader that can wait does so for the change. */
export function isWaitedFor({ hook, way, emit, steps, observes }: Scene): boolean {
  // All steps share a message.
  if (hook === 'processOutputStep') return way !== 'message' || steps.length === 1
  // A rejection in the end concerns the last step alone; a change may concern all of them.
  const concernsLast = steps.length === 1 || way === 'retry'
  return concernsLast && (emit === 'step' || observes)
}

export interface Played {
  scene: Scene
  run: RunStream<RunResult>
  agent: Agent
  /** The prompts of the model, and what a store got. */
  prompts: () => unknown[]
  stored: unknown[]
  /** What listeners got when the run was accepted. */
  events: unknown[]
}

export function begin(scene: Scene): Played {
  const model = new ScriptedModel(script(scene))
  const stored: unknown[] = []
  const events: unknown[] = []
  const store: Processor = {
    id: 'store',
    processOutputResult: ({ messageList, result }) => {
      stored.push(structuredClone([messageList.get(), result.steps, result.text]))
    },
  }
  const agent = new Agent({
    name: 'a',
    model,
    storage: new InMemoryRunStore(),
    emit: scene.emit,
    maxSteps: 10,
    maxProcessorRetries: 10,
    tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
    processors: [...processorsOf(scene), store],
  })
  agent.on('run-finish', ({ result }) => {
    if (result.status !== 'suspended') events.push(result.text)
  })
  return {
    scene,
    run: agent.stream('Hi'),
    agent,
    prompts: () => model.calls.map(({ prompt }) => prompt),
    stored,
    events,
  }
}

/** As {@link begin}, for the agent that has the turn of another one. */
export function beginHandoff(scene: Scene): Played {
  const played = begin(scene)
  const agent = new Agent({
    name: 'outer',
    model: new ScriptedModel([['One moment. ', toolCall('a', { prompt: 'Hi' })]]),
    storage: new InMemoryRunStore(),
    emit: scene.emit,
    tools: { a: played.agent.asTool({ handoff: true }) },
  })
  return { ...played, agent, run: agent.stream('Hi') }
}

/** Runs a reader on the stream and, if the run was suspended, on the stream that continues it. */
export async function readAll(
  { run, agent, scene }: Played,
  read: (run: RunStream<RunResult>) => Promise<void>,
) {
  await read(run)
  let result = await run.result
  while (result.status === 'suspended') {
    // What is still in review is not in the result, unless it was relayed from another agent.
    if (scene.hook === 'processOutputStep' && agent.name === 'a') expect(result).toLeakNothingOf(SECRET)
    const resumed = agent.resume(result.suspension.runId, 'yes')
    await read(resumed)
    result = await resumed
  }
  return result
}

/** The turns of the model. With `retry`, a step that has the secret is followed by one without it. */
function script({ steps, hook, way, chunkSize }: Scene): TurnContent[] {
  const endsRun = way === 'retry' || way === 'abort' || way === 'halt'
  return steps.flatMap(({ texts, extra }, index): TurnContent[] => {
    const isLast = index === steps.length - 1
    const turn = (pieces: string[]): TurnContent => [
      ...(extra === 'reasoning' ? [reasoning(`Hm ${pieces[0]}`, { chunkSize })] : []),
      ...(extra === 'two at once' ? [atOnce(pieces)] : pieces.map((piece) => text(piece, { chunkSize }))),
      ...(extra === 'source' ? [source({ url: `https://example.com/?q=${pieces.join('')}` })] : []),
      ...(isLast ? [] : [toolCall('look')]),
      ...(extra === 'text after the call' ? [text(`After ${pieces.at(-1)}`, { chunkSize })] : []),
    ]
    const clean = texts.map((piece) => piece.replaceAll(SECRET, 'fine'))
    // A rejection in the end concerns the last step alone.
    if (endsRun && hook === 'processOutputResult' && !isLast) return [turn(clean)]
    return way === 'retry' && texts.join('').includes(SECRET) ? [turn(texts), turn(clean)] : [turn(texts)]
  })
}

function atOnce(pieces: string[]): ScriptPart {
  const blocks = pieces.map((delta, index) => ({ id: `at-once-${index}`, delta }))
  return raw(
    ...blocks.map(({ id }) => ({ type: 'text-start', id }) as const),
    ...blocks.map((block) => ({ type: 'text-delta', ...block }) as const),
    ...blocks.map(({ id }) => ({ type: 'text-end', id }) as const),
  )
}

function processorsOf({ hook, way, suspends, observes }: Scene): Processor[] {
  const asker: Processor = {
    id: 'asker',
    [hook]: ({ state, suspend }: ProcessOutputStepArgs) => {
      if (state.asked) return
      state.asked = true
      suspend()
    },
  }
  const changer = { id: 'changer', [hook]: CHANGES[way] } as unknown as Processor
  const observer: Processor = { id: 'observer', processOutputStep: () => {} }
  const changers = suspends === 'before' ? [asker, changer] : [changer, ...(suspends ? [asker] : [])]
  return [...(observes ? [observer] : []), ...changers]
}

type HookArgs = Pick<ProcessOutputStepArgs, 'messages' | 'messageList' | 'abort' | 'halt'> & {
  text?: string
  result?: { text: string }
}

const CHANGES: Record<Way, (args: HookArgs) => unknown> = {
  return: ({ messages }) => messages.filter(isAnswer).map((message) => withParts(message, redacted)),
  'in place': ({ messageList }) => {
    for (const message of messageList.get('response')) message.content.parts = redacted(message.content.parts)
  },
  parts: ({ messages }) => {
    const left = (parts: readonly MessagePart[]) => parts.filter((part) => !hasSecret(part))
    return messages.filter(isAnswer).map((message) => withParts(message, left))
  },
  message: ({ messageList }) => {
    const answers = messageList.get('response').filter(hasSecret)
    messageList.remove(answers.map(({ id }) => id))
  },
  retry: (args) => (hasSecret(textOf(args)) ? args.abort('No.', { retry: true }) : undefined),
  abort: (args) => (hasSecret(textOf(args)) ? args.abort('No.') : undefined),
  halt: (args) => (hasSecret(textOf(args)) ? args.halt('I cannot say.') : undefined),
}

function textOf({ text, result }: HookArgs): string {
  return result?.text ?? text ?? ''
}

function isAnswer({ role }: Message): boolean {
  return role === 'assistant'
}

function withParts(message: Message, change: (parts: readonly MessagePart[]) => MessagePart[]): Message {
  return { ...message, content: { ...message.content, parts: change(message.content.parts) } }
}

function redacted(parts: readonly MessagePart[]): MessagePart[] {
  return JSON.parse(JSON.stringify(parts).replaceAll(SECRET, 'X'))
}

function hasSecret(value: unknown): boolean {
  return JSON.stringify(value).includes(SECRET)
}

/** What a reader of all chunks has in the end, who follows every retraction. */
export function fold(chunks: readonly Chunk[]): { text: string; all: string } {
  const steps: { text: string; others: unknown[] }[] = []
  const last = () => {
    if (steps.length === 0) steps.push({ text: '', others: [] })
    return steps.at(-1) as (typeof steps)[0]
  }
  for (const chunk of chunks) {
    if (chunk.type === 'step-start') steps.push({ text: '', others: [] })
    else if (chunk.type === 'step-discarded') steps.pop()
    else if (chunk.type === 'response-replaced') steps.splice(0, steps.length, ...stepsIn(chunk.messages))
    else if (chunk.type === 'text-delta') last().text += chunk.textDelta
    else if ('textDelta' in chunk || chunk.type === 'source') last().others.push(chunk)
  }
  return { text: steps.map((step) => step.text).join(''), all: JSON.stringify(steps) }
}

function stepsIn(messages: readonly Message[]): { text: string; others: unknown[] }[] {
  const steps: { text: string; others: unknown[] }[] = []
  for (const part of partsOf(messages)) {
    if (part.type === 'step-start') steps.push({ text: '', others: [] })
    else if (part.type === 'text') (steps.at(-1) as (typeof steps)[0]).text += part.text
    else steps.at(-1)?.others.push(part)
  }
  return steps
}

function partsOf(messages: readonly Message[]): MessagePart[] {
  return messages.filter(isAnswer).flatMap(({ content }) => content.parts)
}

export function textIn(parts: readonly { type: string; text?: string }[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export function acceptedText({ messages }: RunResult): string {
  return textIn(partsOf(messages))
}

/** The parts that a chat client shows in the end. */
export async function readAsClient(
  run: RunStream<RunResult>,
  message: UIMessage | undefined,
): Promise<UIMessage | undefined> {
  let last = message
  const stream = run.toUIMessageStream() as ReadableStream<never>
  for await (const state of readUIMessageStream({ stream, ...(message && { message }) })) last = state
  return last
}

export function shownParts({ parts }: UIMessage): UIMessage['parts'] {
  const index = parts.findLastIndex(({ type }) => type === 'data-response-replaced')
  const replaced = parts[index] as { data: { parts: UIMessage['parts'] } } | undefined
  return replaced ? [...replaced.data.parts, ...parts.slice(index + 1)] : parts
}
