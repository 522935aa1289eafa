import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import { MillraceError } from './errors.ts'
import { type AgentInput, parseInput } from './messages/input.ts'
import type { SystemMessage } from './messages/message.ts'
import type { LanguageModel } from './model/language-model.ts'
import type { ModelSettings } from './model/model-settings.ts'
import { compilePipeline, type Pipeline, type ProcessorEntry } from './processors/pipeline.ts'
import type {
  ProcessInputStepArgs,
  ProcessInputStepReturn,
  Processor,
  ProcessorProvider,
} from './processors/processor.ts'
import { RequestContext } from './request-context.ts'
import { watch } from './run/deadline.ts'
import { execute } from './run/execute.ts'
import { Outlet } from './run/outlet.ts'
import type { RunResult } from './run/result.ts'
import { Run, type RunSettings } from './run/run.ts'
import { RunStream } from './run/run-stream.ts'
import type { StopCondition } from './run/stop-condition.ts'
import type { InferSchema, Schema } from './schema.ts'
import type { ToolChoice, ToolSet } from './tools/tool.ts'

/** A value, or a function of the request that makes it. */
type PerRequest<T> = T | ((requestContext: RequestContext) => T | Promise<T>)

/** Processors in order, or a function of the request that lists them. */
export type ProcessorList = PerRequest<readonly ProcessorEntry[]>

/** Processors of one call: added to the agent's, or in their place. */
export type ProcessorOverride = ProcessorList | { list: ProcessorList; replace: true }

/** What the agent is told before every conversation. */
export type Instructions = PerRequest<string | readonly SystemMessage[]>

/** As `processInputStep`, after that of all processors. */
export type PrepareStep = (
  args: ProcessInputStepArgs,
) => ProcessInputStepReturn | Promise<ProcessInputStepReturn>

/** What an agent decides once and a call may decide for itself. */
interface SharedOptions {
  instructions?: Instructions
  prepareStep?: PrepareStep
  /** Ends the loop after a step although tools were called; any one condition suffices. */
  stopWhen?: StopCondition | readonly StopCondition[]
  /** Steps after which a run ends with `status: 'limit'`. Default: 20. */
  maxSteps?: number
  /** Names of the tools the model may call. Default: all. */
  activeTools?: string[]
  toolChoice?: ToolChoice
  modelSettings?: ModelSettings
  providerOptions?: SharedV4ProviderOptions
  /**
   * `live`: chunks go out as they come, and a rejected step is taken back. `step`: a step goes out when nothing can
   * reject it any more. Default: `live`.
   */
  emit?: 'live' | 'step'
}

export interface AgentOptions<TOOLS extends ToolSet = ToolSet> extends SharedOptions {
  /** For traces and errors. Default: `agent`. */
  name?: string
  /** An AI SDK model, or the id of one. */
  model: LanguageModel
  tools?: TOOLS
  /** Take part in all hooks, before those of the other two lists. */
  processors?: ProcessorList
  inputProcessors?: ProcessorList
  outputProcessors?: ProcessorList
  /** Brings processors that go last in both lists. */
  memory?: ProcessorProvider
  /** How often processors may ask for a retry in one run. Default: 3. */
  maxProcessorRetries?: number
  /** How many tools of a step run at the same time. Default: 10. */
  toolConcurrency?: number
}

/** Time limits in milliseconds, in the AI SDK's names. */
export type Timeout = number | { totalMs?: number; stepMs?: number; chunkMs?: number }

export interface RunOptions<SCHEMA extends Schema | undefined = Schema | undefined> extends SharedOptions {
  /** The conversation this run belongs to. */
  threadId?: string
  /** Who owns the conversation: a user, a tenant. */
  resourceId?: string
  // biome-ignore lint/suspicious/noExplicitAny: a context of any values is a context
  requestContext?: RequestContext<any>
  /** Asks for a structured answer, found in `result.object`. */
  output?: SCHEMA
  /** Ends the run with `status: 'aborted'`, at once. */
  abortSignal?: AbortSignal
  /** A number limits the whole run. A limit that passes ends the run as `aborted` with `RUN_TIMEOUT`. */
  timeout?: Timeout
  model?: LanguageModel
  processors?: ProcessorOverride
  inputProcessors?: ProcessorOverride
  outputProcessors?: ProcessorOverride
}

type ObjectOf<SCHEMA> = SCHEMA extends Schema ? InferSchema<SCHEMA> : undefined

/**
 * A model, its instructions and tools, and the processors around them. An agent holds nothing of a conversation: one
 * instance serves any number of runs at the same time.
 *
 * @example
 * const agent = new Agent({ name: 'support', model, instructions: 'Answer briefly.', tools: { weather } })
 * const { text } = await agent.generate('Is it raining in Oslo?')
 */
export class Agent<TOOLS extends ToolSet = ToolSet> {
  readonly name: string
  readonly #options: AgentOptions<TOOLS>
  /** Compiled once, where no option depends on the request. */
  readonly #pipeline: Pipeline | undefined

  /** @throws MillraceError `CONFIG_…` if an option cannot work; the message names it */
  constructor(options: AgentOptions<TOOLS>) {
    this.name = options.name ?? 'agent'
    this.#options = options
    check(options)
    const { processors = [], inputProcessors = [], outputProcessors = [] } = options
    if (
      typeof processors !== 'function' &&
      typeof inputProcessors !== 'function' &&
      typeof outputProcessors !== 'function'
    ) {
      this.#pipeline = compile({ processors, inputProcessors, outputProcessors }, options, {})
    }
  }

  /**
   * Runs the loop and resolves with its outcome. Expected outcomes are statuses of the result; faults reject.
   *
   * @throws MillraceError
   */
  generate<const SCHEMA extends Schema | undefined = undefined>(
    input: AgentInput,
    options: RunOptions<SCHEMA> = {},
  ): Promise<RunResult<TOOLS, ObjectOf<SCHEMA>>> {
    const run = this.#createRun(options, { discards: true })
    return this.#execute(run, input, options)
  }

  /** Returns the run as a stream, at once. It begins when it is read, or when one of its promises is asked for. */
  stream<const SCHEMA extends Schema | undefined = undefined>(
    input: AgentInput,
    options: RunOptions<SCHEMA> = {},
  ): RunStream<TOOLS, ObjectOf<SCHEMA>> {
    const run = this.#createRun(options, { discards: false })
    return new RunStream({
      outlet: run.outlet,
      start: () => this.#execute(run, input, options),
      holdsText: () => run.settings.emit === 'live' && run.pipeline.processOutputStep !== null,
    })
  }

  #createRun(options: RunOptions, { discards }: { discards: boolean }): Run {
    check(options)
    const { threadId, resourceId, requestContext = new RequestContext() } = options
    const run = new Run({
      settings: this.#settings(options),
      requestContext: requestContext.withIds({ threadId, resourceId }),
      outlet: new Outlet({
        discards,
        onLeave: () => run.abort(new DOMException('The reader of the stream left.', 'AbortError')),
      }),
    })
    return run
  }

  #settings(options: RunOptions): RunSettings {
    const agent = this.#options
    const { model, output, timeout } = options
    const stopWhen = options.stopWhen ?? agent.stopWhen ?? []
    const providerOptions = options.providerOptions ?? agent.providerOptions
    return {
      model: model ?? agent.model,
      tools: agent.tools ?? {},
      activeTools: options.activeTools ?? agent.activeTools,
      toolChoice: options.toolChoice ?? agent.toolChoice,
      modelSettings: { ...agent.modelSettings, ...options.modelSettings },
      providerOptions,
      structuredOutput: output && { schema: output },
      stopWhen: typeof stopWhen === 'function' ? [stopWhen] : stopWhen,
      maxSteps: options.maxSteps ?? agent.maxSteps ?? 20,
      maxProcessorRetries: agent.maxProcessorRetries ?? 3,
      toolConcurrency: agent.toolConcurrency ?? 10,
      emit: options.emit ?? agent.emit ?? 'live',
      stepTimeout: typeof timeout === 'object' ? timeout.stepMs : undefined,
      chunkTimeout: typeof timeout === 'object' ? timeout.chunkMs : undefined,
    }
  }

  async #execute<RESULT>(run: Run, input: AgentInput, options: RunOptions): Promise<RESULT> {
    const { abortSignal, timeout } = options
    const outcome = execute(run, () => this.#prepare(run, input, options))
    const deadline = watch(run, typeof timeout === 'object' ? timeout.totalMs : timeout, 'The run')
    const abort = (): void => run.abort(abortSignal?.reason)
    if (abortSignal?.aborted) abort()
    abortSignal?.addEventListener('abort', abort, { once: true })
    try {
      return (await outcome) as RESULT
    } finally {
      deadline?.end()
      abortSignal?.removeEventListener('abort', abort)
    }
  }

  /** Resolves what depends on the request, and puts the input into the transcript. */
  async #prepare(run: Run, input: AgentInput, options: RunOptions): Promise<void> {
    const { requestContext } = run
    run.pipeline = await this.#pipelineFor(options, requestContext)
    const instructions = await forRequest(
      options.instructions ?? this.#options.instructions ?? [],
      requestContext,
    )
    const { messages, systemMessages } = parseInput(input)
    run.systemMessages = [
      ...(typeof instructions === 'string'
        ? [{ role: 'system', content: instructions } as const]
        : instructions),
      ...systemMessages,
    ]
    run.messageList.add(messages, 'input')
  }

  async #pipelineFor(options: RunOptions, requestContext: RequestContext): Promise<Pipeline> {
    const { processors, inputProcessors, outputProcessors, prepareStep } = options
    if (this.#pipeline && !processors && !inputProcessors && !outputProcessors && !prepareStep)
      return this.#pipeline
    const agent = this.#options
    return compile(
      {
        processors: await extend(agent.processors, processors, requestContext),
        inputProcessors: await extend(agent.inputProcessors, inputProcessors, requestContext),
        outputProcessors: await extend(agent.outputProcessors, outputProcessors, requestContext),
      },
      agent,
      options,
    )
  }
}

interface Lists {
  processors: readonly ProcessorEntry[]
  inputProcessors: readonly ProcessorEntry[]
  outputProcessors: readonly ProcessorEntry[]
}

/** `prepareStep` is one more processor, after all others. */
function compile(
  lists: Lists,
  agent: Pick<AgentOptions, 'memory' | 'prepareStep'>,
  call: RunOptions,
): Pipeline {
  const prepareStep = call.prepareStep ?? agent.prepareStep
  const last: Processor | undefined = prepareStep && { id: 'prepareStep', processInputStep: prepareStep }
  return compilePipeline({ ...lists, memory: agent.memory, last })
}

async function extend(
  own: ProcessorList | undefined,
  override: ProcessorOverride | undefined,
  requestContext: RequestContext,
): Promise<readonly ProcessorEntry[]> {
  if (override && 'replace' in override) return forRequest(override.list, requestContext)
  return [
    ...(await forRequest(own ?? [], requestContext)),
    ...(await forRequest(override ?? [], requestContext)),
  ]
}

async function forRequest<T>(option: PerRequest<T>, requestContext: RequestContext): Promise<T> {
  return typeof option === 'function'
    ? await (option as (requestContext: RequestContext) => T | Promise<T>)(requestContext)
    : option
}

function check(options: Partial<AgentOptions> | RunOptions): void {
  const { maxSteps, maxProcessorRetries, toolConcurrency, emit } = options as Partial<AgentOptions>
  checkCount('maxSteps', maxSteps, 1)
  checkCount('maxProcessorRetries', maxProcessorRetries, 0)
  checkCount('toolConcurrency', toolConcurrency, 1)
  checkCount('modelSettings.maxRetries', options.modelSettings?.maxRetries, 0)
  if (emit !== undefined && emit !== 'live' && emit !== 'step') {
    throw new MillraceError('CONFIG_INVALID', `emit is '${String(emit)}'. Use 'live' or 'step'.`)
  }
}

function checkCount(option: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `${option} is ${String(value)}. Use a whole number of at least ${least}.`,
  )
}
