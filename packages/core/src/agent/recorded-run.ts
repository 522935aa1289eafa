import { context, isSpanContextValid, type SpanContext, trace } from '@opentelemetry/api'
import { MillraceError } from '../errors.ts'
import { HOOK_NAMES } from '../hook-name.ts'
import { beginRun } from '../loop/begin-run.ts'
import { checkBy } from '../loop/suspension/may-answer.ts'
import { RecordedRunJournal, type RunRecorder } from '../loop/suspension/recorded-run-journal.ts'
import { restore } from '../loop/suspension/restore.ts'
import { answersTo, takeAnswers, waitingCallsOfRun } from '../loop/suspension/take-answers.ts'
import type { AgentInput } from '../messages/agent-input.ts'
import { type OptionNames, requireOptions } from '../option-names.ts'
import type { Pipeline } from '../processors/pipeline.ts'
import type { Processor } from '../processors/processor.ts'
import type { RunResult } from '../results/result.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import type { RunCall } from '../storage/run-store.ts'
import type { ToolSet } from '../tools/tool.ts'
import { type Agent, internalsOf } from './agent.ts'
import { type RunOptions, readRunOptions } from './agent-options.ts'
import { listTools, type PrepareOptions, prepareRun } from './prepare-run.ts'
import { RunStream } from './run-stream.ts'

/** The recorded state of a run. */
export interface RecordedState {
  snapshot: string
  /** The payload of the suspension, if the run was suspended. */
  payload?: unknown
  /** The data that the run is resumed with, if it was suspended. */
  data?: unknown
  /** The calls that were started since; finished ones with their outcome. */
  calls?: readonly RunCall[]
}

export interface RecordedRunOptions {
  runId: string
  recorder: RunRecorder
  /** The input of a new run, or the state of a run to continue. */
  from: { input: AgentInput } | { state: RecordedState }
  options?: RunOptions
  /**
   * The span in which the run was started. The run's spans belong to its trace in every process. Default: the active
   * span.
   */
  trace?: RecordedTrace | undefined
}

const RECORDED_RUN_OPTIONS: OptionNames<RecordedRunOptions> = {
  runId: 'required',
  recorder: 'required',
  from: 'required',
  options: 'open',
  trace: 'optional',
}

/** An OpenTelemetry span, as JSON. */
export type RecordedTrace = Pick<SpanContext, 'traceId' | 'spanId' | 'traceFlags'>

/** The active span, to be recorded when a run is started. `undefined` without tracing. */
export function activeTrace(): RecordedTrace | undefined {
  const span = trace.getSpanContext(context.active())
  if (!span || !isSpanContextValid(span)) return undefined
  const { traceId, spanId, traceFlags } = span
  return { traceId, spanId, traceFlags }
}

/**
 * Starts, or continues, a run for an engine that records it. The engine stores its state, and its chunks after
 * `processDelivery`, which runs in the process that creates the chunks.
 *
 * @throws MillraceError `CONFIG_INVALID`, `RUN_INCOMPATIBLE` or `RUN_RESUME_INVALID`, when read or awaited
 */
export function openRecordedRun(agent: Agent, recorded: RecordedRunOptions): RunStream<RunResult> {
  const {
    runId,
    recorder,
    from,
    options: given = {},
    trace: startedIn,
  } = requireOptions('openRecordedRun()', recorded, RECORDED_RUN_OPTIONS)
  const options = readRunOptions('openRecordedRun()', given)
  const internals = internalsOf(agent)
  const run = within(startedIn, () => internals.createRun(options, { discards: false, runId }))
  const preparing = recordable(internals.preparing(options))
  const prepare = async (): Promise<Step | undefined> => {
    const step =
      'input' in from
        ? await beginRecorded(run, from.input, preparing)
        : await continueRecorded(run, from.state, preparing)
    const attempt = run.listeners.size > 0 ? await recorder.attempt?.() : undefined
    run.journal = new RecordedRunJournal(run, recorder, attempt)
    return step
  }
  return new RunStream({ run, start: () => internals.execute(run, prepare, options) })
}

/** Runs `work` in the trace of `startedIn`. An active span of the engine is kept if it is in the same trace. */
function within<T>(startedIn: RecordedTrace | undefined, work: () => T): T {
  const active = context.active()
  if (!startedIn || trace.getSpanContext(active)?.traceId === startedIn.traceId) return work()
  return context.with(trace.setSpanContext(active, { ...startedIn, isRemote: true }), work)
}

async function beginRecorded(run: Run, input: AgentInput, preparing: PrepareOptions): Promise<undefined> {
  // If the run starts again because nothing of it was recorded, its message has the same id.
  run.state.responseId = `${run.id}:message`
  await prepareRun(run, input, preparing)
  if (!run.resumption) return
  throw new MillraceError(
    'RUN_INPUT_INVALID',
    'The messages answer a suspended run. Resume that run, or start a new one with a user message.',
  )
}

async function continueRecorded(
  run: Run,
  { snapshot, payload = null, data, calls = [] }: RecordedState,
  { agent, call, pipeline }: PrepareOptions,
): Promise<Step | undefined> {
  await beginRun(run, await pipeline.for(call, run.requestContext))
  await listTools(run, agent)
  const { id: runId, settings } = run
  const stored = { runId, agentName: settings.agentName, payload, createdAt: 0, expiresAt: 0, snapshot }
  checkBy(run)
  const { step, isWaiting } = restore(run, stored, { data, calls })
  if (isWaiting && waitingCallsOfRun(run, step).length > 0)
    takeAnswers(run, step, { answers: answersTo(run, step, data) })
  return step
}

/** The error of a run that its engine was told to cancel. */
export function cancelledRun(runId: string): MillraceError {
  return new MillraceError('RUN_CANCELLED', `The run '${runId}' was cancelled. Start a new run.`)
}

/**
 * The options without a store of their own, since the engine stores the run. Refuses processors that are bound to
 * this process.
 */
function recordable(preparing: PrepareOptions): PrepareOptions {
  return {
    ...preparing,
    journal: { ...preparing.journal, everyStep: false },
    pipeline: {
      async for(call, requestContext) {
        const pipeline = await preparing.pipeline.for(call, requestContext)
        for (const processor of pipeline.names.keys()) requireUnbound(processor)
        return pipeline
      },
    },
  }
}

/** @throws MillraceError `CONFIG_INVALID` */
function requireUnbound({ id, boundToProcess }: Processor): void {
  if (boundToProcess === undefined) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `The processor '${id}' is bound to its process, but runs of this agent continue in other processes. ${boundToProcess}`,
  )
}

/** A description of an agent as JSON. A changed agent has another description. */
export interface AgentDescription {
  name: string
  /** How long a suspended run can be resumed, in milliseconds. */
  suspensionTtl: number
  processors: unknown
  tools: unknown
  settings: Record<string, unknown>
}

/**
 * Describes an agent. For options that are functions, the function's source is used; for tools, what the model
 * receives.
 *
 * @throws MillraceError `CONFIG_INVALID` if runs of the agent cannot continue in another process
 */
export function describeAgent(agent: Agent): AgentDescription {
  const { options, pipeline, preparing } = internalsOf(agent)
  const { instructions, model, maxSteps, toolChoice, activeTools, maxProcessorRetries } = options
  for (const processor of pipeline.compiled?.names.keys() ?? []) requireUnbound(processor)
  return {
    name: agent.name,
    suspensionTtl: preparing({}).journal.ttl,
    processors: pipeline.compiled
      ? describePipeline(pipeline.compiled)
      : [options.processors, options.inputProcessors, options.outputProcessors].map(String),
    tools: typeof options.tools === 'function' ? String(options.tools) : describeTools(options.tools ?? {}),
    settings: {
      instructions: typeof instructions === 'function' ? String(instructions) : instructions,
      model: typeof model === 'string' ? model : `${model.provider}:${model.modelId}`,
      maxSteps,
      toolChoice,
      activeTools,
      maxProcessorRetries,
    },
  }
}

function describePipeline(pipeline: Pipeline): unknown {
  return [...pipeline.names].map(([processor, name]) => ({
    name,
    hooks: HOOK_NAMES.filter((hook) => processor[hook] !== undefined),
  }))
}

function describeTools(tools: ToolSet): unknown {
  return Object.entries(tools).map(([name, { description, execute, onInterrupted }]) => ({
    name,
    description,
    executes: execute !== undefined,
    onInterrupted,
  }))
}
