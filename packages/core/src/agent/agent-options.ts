import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import { MillraceError } from '../errors.ts'
import type { MayAnswer } from '../loop/suspension/may-answer.ts'
import type { SystemMessage } from '../messages/message.ts'
import type { UserMessageMetadata } from '../messages/user-message-metadata.ts'
import { checkProviderHistory } from '../model/history/check-rules.ts'
import type { ProviderHistoryOptions } from '../model/history/history-rules.ts'
import type { LanguageModel } from '../model/language-model.ts'
import { MODEL_SETTINGS, type ModelSettings } from '../model/model-settings.ts'
import { requireCount, requireOneOf, requireTime } from '../option-checks.ts'
import { type OptionNames, refuseMisspelled, requireOptions } from '../option-names.ts'
import type { ProcessInputStepArgs, ProcessInputStepReturn } from '../processors/input-hooks.ts'
import type { ProcessorEntry } from '../processors/pipeline.ts'
import type { ProcessorProvider } from '../processors/processor.ts'
import { isRecord } from '../record.ts'
import type { RequestContext } from '../request-context.ts'
import type { StopCondition } from '../results/stop-condition.ts'
import type { Schema } from '../schema.ts'
import type { RunStore } from '../storage/run-store.ts'
import type { ToolApprovalConfiguration } from '../tools/approval.ts'
import { TOOL_KEYS, type ToolChoice, type ToolSet } from '../tools/tool.ts'

/** A value, or a function that returns it for a request. */
export type PerRequest<T> = T | ((requestContext: RequestContext) => T | Promise<T>)

/** Processors in order, or a function that returns them for a request. */
export type ProcessorList = PerRequest<readonly ProcessorEntry[]>

/** Processors of one call: added to the agent's, or replacing them. */
export type ProcessorOverride = ProcessorList | Replacement

interface Replacement {
  list: ProcessorList
  replace: true
}

const REPLACEMENT: OptionNames<Replacement> = { list: ['required', 'open'], replace: 'required' }

/** The instructions of an agent, at the start of every prompt. */
export type Instructions = PerRequest<string | SystemMessage | readonly SystemMessage[]>

/** As `processInputStep`. Called after all processors. */
export type PrepareStep = (
  args: ProcessInputStepArgs,
) => ProcessInputStepReturn | Promise<ProcessInputStepReturn>

/** Options of an agent that a call can override. */
interface SharedOptions {
  /**
   * Instructions for the model, at the start of every prompt: a string, system messages, or a function of the request
   * context.
   */
  instructions?: Instructions
  /** Changes messages, model, tools and settings of each step, after `processInputStep` of all processors. */
  prepareStep?: PrepareStep
  /**
   * Ends the loop after a step even if the model has called tools, such as `isStepCount(5)` or `hasToolCall('pay')`.
   * One condition is enough. If the run has an `output` schema that the text of the step does not match, the run ends
   * with `status: 'limit'`.
   */
  stopWhen?: StopCondition | readonly StopCondition[]
  /** Maximum number of steps. A run that reaches it ends with `status: 'limit'`. Default: 20. */
  maxSteps?: number
  /** Names of the tools that the model may call. Default: all. */
  activeTools?: string[]
  /**
   * Whether the model may, must or must not call tools, or which one, as in the AI SDK. Default: the provider's,
   * usually `auto`.
   */
  toolChoice?: ToolChoice
  /** Settings of the model call, such as `temperature`, as in the AI SDK. Default of `maxRetries`: 2. */
  modelSettings?: ModelSettings
  /**
   * Size of the model's context window in tokens, prompt and answer together, for processors that keep the prompt
   * within it. Default: the model object's property of this name.
   */
  contextWindow?: number
  /** Provider-specific options by provider name, as in the AI SDK. */
  providerOptions?: SharedV4ProviderOptions
  /**
   * When chunks are emitted. `live`: as they arrive; a step that processors reject or change is retracted afterwards.
   * `step`: after the response of a step was accepted, which is before its calls are decided, or after
   * `processOutputResult` if it has none. A step that is rejected because of a call is then still discarded. Default:
   * `live`.
   */
  emit?: 'live' | 'step'
}

export interface AgentOptions<TOOLS extends ToolSet = ToolSet> extends SharedOptions {
  /** Name of the agent in traces and errors. Default: `agent`. */
  name?: string
  /** An AI SDK model, or a model id such as `openai/gpt-5`. */
  model: LanguageModel
  /**
   * Tools by name, as a `ToolSet` of the AI SDK or made with `tool()`; or a function of the request context that
   * returns them, which is called once for each run, also for a resumed one. Use a function for tools that change,
   * such as those of an MCP server.
   */
  tools?: PerRequest<TOOLS>
  /**
   * Processors for all hooks. They run before those of the other two lists. A list, or a function of the request
   * context.
   */
  processors?: ProcessorList
  /** Processors for the input hooks. */
  inputProcessors?: ProcessorList
  /** Processors for the output hooks. */
  outputProcessors?: ProcessorList
  /** A memory, or another provider of processors. They run last in both lists. */
  memory?: ProcessorProvider
  /**
   * Stores suspended runs, and the counters of processors if it is persistent. Default: the store of `memory` or of a
   * provider among the processors, otherwise a store in this process.
   */
  storage?: RunStore
  /** How long a suspended run can be resumed, in milliseconds. Default: 24 hours. */
  suspensionTtl?: number
  /**
   * When a run is stored. `suspend`: when it suspends, and after it was resumed, at each call. `step`: also before
   * each model call, so that a run whose process dies can be resumed from its last step. Default: `suspend`.
   */
  checkpoint?: 'suspend' | 'step'
  /**
   * How long a stored run is locked after its process has died, in milliseconds: no other process can resume it. A
   * process that works on a run renews this lease. Default: 30,000.
   */
  runLease?: number
  /**
   * Which tool calls need approval by a person, as in the AI SDK. Takes precedence over a tool's own `needsApproval`.
   */
  toolApproval?: ToolApprovalConfiguration
  /**
   * What providers refuse in a prompt, where it differs from the table of known providers: by provider or model, as
   * `HistoryRules`. `false` disables all rules but `validJson`. Default: the table.
   */
  providerHistory?: ProviderHistoryOptions
  /**
   * Tracing is on if an OpenTelemetry SDK is registered. `{ recordContent: true }` also records prompts and answers.
   * Default: without content.
   */
  telemetry?: TelemetryOptions
  /** Maximum number of retries of steps that processors can request in one run. Default: 3. */
  maxProcessorRetries?: number
  /** Maximum number of tools of a step that run at the same time. Default: 10. */
  toolConcurrency?: number
}

export interface TelemetryOptions {
  /**
   * Records instructions, messages, tool inputs and results, as the processors left them. Traces then contain
   * personal data. Default: false.
   */
  recordContent?: boolean
}

/** Timeouts in milliseconds, named as in the AI SDK. */
export type Timeout =
  | number
  | {
      totalMs?: number
      stepMs?: number
      chunkMs?: number
      /** For each attempt of a tool. A timeout is an error of the tool (`TOOL_TIMEOUT`), and the run continues. */
      toolMs?: number
      /** The timeout of individual tools, by name. Takes precedence over `toolMs`. */
      tools?: Readonly<Record<string, number>>
    }

export interface RunOptions<SCHEMA extends Schema | undefined = Schema | undefined> extends SharedOptions {
  /** The conversation that this run belongs to. */
  threadId?: string
  /** The owner of the conversation: a user or a tenant. */
  resourceId?: string
  /** Values for processors, tools, and options that are functions: `new RequestContext({ plan: 'free' })`. */
  // biome-ignore lint/suspicious/noExplicitAny: a context of any values is a context
  requestContext?: RequestContext<any>
  /**
   * Whether the application itself wrote or stored every message of the input. Otherwise a list of messages may come
   * from a client, whatever its form: system messages and tool results are refused, and an agent with a memory uses
   * only the newest user message. Default: false.
   */
  trusted?: boolean
  /**
   * The application's metadata of the user's message, such as its author: `{ speaker: 'Ada' }`. A JSON object, added to
   * `content.metadata` and stored with the message. What a client sends as metadata is kept under its key `client`, and
   * nothing reads it. Ignored if the input resumes a run.
   */
  userMessageMetadata?: UserMessageMetadata | undefined
  /**
   * Who answers, if this call resumes a run: recorded as `decidedBy` of the results. Messages of a chat client may resume
   * a run too. Default: not recorded.
   */
  by?: string
  /**
   * Whether this caller may answer what a run waits for, if this call resumes one. Asked for each answer to a call, before
   * anything changes. Default: any caller that may resume the run.
   */
  mayAnswer?: MayAnswer
  /**
   * The schema of a structured answer, which is returned as `result.object`. JSON in a code fence or between sentences is
   * read too; two different values that match are refused.
   */
  output?: SCHEMA
  /** Ends the run with `status: 'aborted'`, at once. */
  abortSignal?: AbortSignal
  /**
   * Timeout of the whole run in milliseconds, or `{ totalMs, stepMs, chunkMs, toolMs, tools: { name: ms } }`. A
   * timeout ends the run as `aborted` with `RUN_TIMEOUT`; those of tools end an attempt of a tool. Default: no
   * timeout.
   */
  timeout?: Timeout
  /** Another model for this call. Default: the agent's. */
  model?: LanguageModel
  /** Processors that are added to the agent's, or replace them with `{ list, replace: true }`. */
  processors?: ProcessorOverride
  /** As `processors`, for the agent's `inputProcessors`. */
  inputProcessors?: ProcessorOverride
  /** As `processors`, for the agent's `outputProcessors`. */
  outputProcessors?: ProcessorOverride
}

const SHARED_OPTIONS: OptionNames<SharedOptions> = {
  instructions: 'optional',
  prepareStep: 'optional',
  stopWhen: 'optional',
  maxSteps: 'optional',
  activeTools: 'optional',
  toolChoice: 'optional',
  modelSettings: MODEL_SETTINGS,
  contextWindow: 'optional',
  providerOptions: 'optional',
  emit: 'optional',
}

const AGENT_OPTIONS: OptionNames<AgentOptions> = {
  ...SHARED_OPTIONS,
  name: 'optional',
  model: 'required',
  tools: 'optional',
  processors: 'open',
  inputProcessors: 'open',
  outputProcessors: 'open',
  memory: 'open',
  storage: 'optional',
  suspensionTtl: 'optional',
  checkpoint: 'optional',
  runLease: 'optional',
  toolApproval: { '*': { type: 'required', reason: 'optional' } },
  providerHistory: 'optional',
  telemetry: { recordContent: 'optional' },
  maxProcessorRetries: 'optional',
  toolConcurrency: 'optional',
}

export const RUN_OPTIONS: OptionNames<RunOptions> = {
  ...SHARED_OPTIONS,
  threadId: 'optional',
  resourceId: 'optional',
  requestContext: 'optional',
  trusted: 'optional',
  userMessageMetadata: 'optional',
  by: 'optional',
  mayAnswer: 'optional',
  output: 'optional',
  abortSignal: 'optional',
  timeout: {
    totalMs: 'optional',
    stepMs: 'optional',
    chunkMs: 'optional',
    toolMs: 'optional',
    tools: 'optional',
  },
  model: 'optional',
  processors: 'open',
  inputProcessors: 'open',
  outputProcessors: 'open',
}

/**
 * Validates the options of an agent, as far as types cannot.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option and its value
 */
export function readAgentOptions<OPTIONS extends AgentOptions>(given: OPTIONS): OPTIONS {
  const options = requireOptions<AgentOptions>('Agent', given, AGENT_OPTIONS) as OPTIONS
  const { maxProcessorRetries, toolConcurrency, tools, suspensionTtl, runLease, checkpoint } = options
  checkShared(options)
  if (maxProcessorRetries !== undefined) requireCount('maxProcessorRetries', maxProcessorRetries, 0)
  if (toolConcurrency !== undefined) requireCount('toolConcurrency', toolConcurrency, 1)
  requireTime('suspensionTtl', suspensionTtl)
  requireTime('runLease', runLease)
  if (checkpoint !== undefined) requireOneOf('checkpoint', checkpoint, ['suspend', 'step'])
  if (tools !== undefined && typeof tools !== 'function') checkTools(tools)
  checkProviderHistory(options.providerHistory)
  return options
}

/**
 * Validates the options of a call, as far as types cannot.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option and its value
 */
export function readRunOptions<OPTIONS extends RunOptions>(call: string, given: OPTIONS): OPTIONS {
  const options = requireOptions<RunOptions>(call, given, RUN_OPTIONS) as OPTIONS
  const { timeout, trusted, requestContext, processors, inputProcessors, outputProcessors } = options
  checkShared(options)
  if (typeof timeout === 'object') checkTimeout(timeout)
  else requireTime('timeout', timeout)
  if (trusted !== undefined && typeof trusted !== 'boolean') {
    throw new MillraceError('CONFIG_INVALID', `trusted is of type ${typeof trusted}. Use true or false.`)
  }
  if (requestContext !== undefined && typeof requestContext?.withIds !== 'function') {
    throw new MillraceError(
      'CONFIG_INVALID',
      'requestContext is not a RequestContext. Use new RequestContext({ … }).',
    )
  }
  for (const list of [processors, inputProcessors, outputProcessors]) {
    if (typeof list !== 'object' || Array.isArray(list)) continue
    const { replace } = requireOptions(`The processors of ${call}`, list as Replacement, REPLACEMENT)
    requireOneOf('processors.replace', replace, [true])
  }
  return options
}

function checkShared({ maxSteps, emit, contextWindow, modelSettings }: SharedOptions): void {
  const { maxRetries, maxOutputTokens } = modelSettings ?? {}
  if (maxSteps !== undefined) requireCount('maxSteps', maxSteps, 1)
  if (contextWindow !== undefined) requireCount('contextWindow', contextWindow, 1)
  if (maxOutputTokens !== undefined) requireCount('modelSettings.maxOutputTokens', maxOutputTokens, 1)
  if (maxRetries !== undefined) requireCount('modelSettings.maxRetries', maxRetries, 0)
  if (emit !== undefined) requireOneOf('emit', emit, ['live', 'step'])
}

function checkTimeout({ tools = {}, ...limits }: Exclude<Timeout, number>): void {
  if (!isRecord(tools)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `timeout.tools is of type ${typeof tools}. Use an object of milliseconds by tool name.`,
    )
  }
  for (const [name, milliseconds] of Object.entries(tools)) requireTime(`timeout.tools.${name}`, milliseconds)
  for (const [name, milliseconds] of Object.entries(limits)) requireTime(`timeout.${name}`, milliseconds)
}

/** @throws MillraceError `CONFIG_INVALID` */
export function checkTools(tools: ToolSet): void {
  if (typeof tools !== 'object' || tools === null) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `tools is ${tools === null ? 'null' : `of type ${typeof tools}`}. Use an object of tools by name, or a function that returns one.`,
    )
  }
  if (Array.isArray(tools)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'tools is an array. Use an object of tools by name: { weather: tool(…) }.',
    )
  }
  for (const [name, tool] of Object.entries(tools)) {
    if (tool?.inputSchema === undefined) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `The tool '${name}' has no inputSchema. Pass one, such as a zod object.`,
      )
    }
    refuseMisspelled(`The tool '${name}'`, tool, TOOL_KEYS)
    const { maxRetries, retryable, onInterrupted = 'suspend' } = tool
    requireOneOf(`tools.${name}.onInterrupted`, onInterrupted, ['suspend', 'fail', 'retry'])
    if (maxRetries === undefined) continue
    requireCount(`tools.${name}.maxRetries`, maxRetries, 0)
    if (typeof retryable === 'function') continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `The tool '${name}' has maxRetries but no retryable. Add retryable: (error) => boolean.`,
    )
  }
}
