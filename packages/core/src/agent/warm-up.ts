import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { HOOKS } from '../hook-name.ts'
import { loop } from '../loop.ts'
import { resolveModel } from '../model/language-model.ts'
import type { Processor } from '../processors/processor.ts'
import { warmUpProcessors } from '../processors/warm-up-processors.ts'
import { agentOf } from '../results/agent-opener.ts'
import type { Run } from '../run/run.ts'
import type { Tool } from '../tools/tool.ts'
import type { AgentOptions, RunOptions } from './agent-options.ts'
import type { AgentPipeline } from './agent-pipeline.ts'
import { type PrepareOptions, prepareRun } from './prepare-run.ts'

/** The parts of an agent that warming up uses. */
export interface WarmUpAgent {
  options: AgentOptions
  pipeline: AgentPipeline
  createRun: (options: RunOptions, how: { discards: boolean }) => Run
  preparing: (call: RunOptions) => PrepareOptions
}

/**
 * Loads and compiles the code and data that the first run of an agent would otherwise load.
 *
 * @param create Creates an agent for the rehearsal.
 * @throws MillraceError `PROCESSOR_FAILED`, `MODEL_UNRESOLVED`
 */
export async function warmUp(
  { options: { model, tools }, pipeline: agentPipeline, createRun }: WarmUpAgent,
  create: (options: AgentOptions) => WarmUpAgent,
  call: RunOptions | undefined,
): Promise<void> {
  const pipeline = call
    ? await agentPipeline.for(call, createRun(call, { discards: true }).requestContext)
    : agentPipeline.compiled
  await rehearsal({ hooks: pipeline?.names.size !== 0, tools: tools !== undefined }, create)
  const resolved = await resolveModel(call?.model ?? model)
  if (pipeline) await warmUpProcessors(pipeline.names.keys(), { model: resolved })
  for (const tool of Object.values(tools ?? {})) await warmUpAgentOf(tool)
}

/** The agents whose warm-up has begun as that of a tool: agents can be tools of each other. */
const begun = new Set<object>()

async function warmUpAgentOf(tool: Tool): Promise<void> {
  const agent = agentOf(tool) as { warmUp(): Promise<void> } | undefined
  if (!agent || begun.has(agent)) return
  begun.add(agent)
  try {
    await agent.warmUp()
  } finally {
    begun.delete(agent)
  }
}

/** The parts of an agent that affect which code a run needs. */
interface Parts {
  hooks: boolean
  tools: boolean
}

const rehearsals = new Map<string, Promise<void>>()

/** Runs one rehearsal per process for all agents with the same parts. */
function rehearsal(parts: Parts, create: (options: AgentOptions) => WarmUpAgent): Promise<void> {
  const key = JSON.stringify(parts)
  let known = rehearsals.get(key)
  if (!known) {
    known = rehearse(parts, create)
    rehearsals.set(key, known)
    known.catch(() => rehearsals.delete(key))
  }
  return known
}

/**
 * Runs an agent with a fixed answer instead of a model, so that the code of a run is loaded and compiled. It is a separate
 * agent, without listeners, tracer or store.
 */
async function rehearse(
  { hooks, tools }: Parts,
  create: (options: AgentOptions) => WarmUpAgent,
): Promise<void> {
  const { createRun, preparing } = create({
    model: rehearsedModel(tools ? [TOOL_CALL, TEXT] : [TEXT]),
    ...(tools && { tools: { rehearsal: REHEARSED_TOOL } }),
    ...(hooks && { processors: [passes()] }),
  })
  const run = createRun({}, { discards: true })
  const input = [{ id: 'rehearsal', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }]
  const first = await prepareRun(run, input as never, preparing({}))
  await loop(run, first)
  await import('../ui/ui-chunks.ts')
}

/** A processor that implements every hook and changes nothing. */
function passes(): Processor {
  const entries = Object.entries(HOOKS).map(([hook, { nothing }]) => {
    if (hook === 'wrapModelCall') return [hook, ({ next, request }: Call) => next(request)]
    return [hook, nothing === 'dropped' ? ({ part }: { part: unknown }) => part : () => undefined]
  })
  return { id: 'rehearsal', ...Object.fromEntries(entries) }
}

interface Call {
  next: (request: unknown) => unknown
  request: unknown
}

const REHEARSED_TOOL: Tool = {
  description: '',
  inputSchema: {
    '~standard': {
      version: 1,
      vendor: 'millrace',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  },
  execute: () => 'done',
}

const TEXT: readonly LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 'text' },
  { type: 'text-delta', id: 'text', delta: 'Hello' },
  { type: 'text-end', id: 'text' },
  finish('stop'),
]

const TOOL_CALL: readonly LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'tool-input-start', id: 'call', toolName: 'rehearsal' },
  { type: 'tool-input-delta', id: 'call', delta: '{}' },
  { type: 'tool-input-end', id: 'call' },
  { type: 'tool-call', toolCallId: 'call', toolName: 'rehearsal', input: '{}' },
  finish('tool-calls'),
]

function finish(unified: 'stop' | 'tool-calls'): LanguageModelV4StreamPart {
  const tokens = { noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
  return {
    type: 'finish',
    finishReason: { unified, raw: undefined },
    usage: { inputTokens: { total: 0, ...tokens }, outputTokens: { total: 0, text: 0, reasoning: 0 } },
  }
}

/** Returns these answers in order. */
function rehearsedModel(answers: readonly (readonly LanguageModelV4StreamPart[])[]): LanguageModelV4 {
  const remaining = [...answers]
  return {
    specificationVersion: 'v4',
    provider: 'rehearsal',
    modelId: 'rehearsal',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('An agent streams.')),
    doStream: async () => ({ stream: streamOf(remaining.shift() ?? TEXT) }),
  }
}

function streamOf(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}
