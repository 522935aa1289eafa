import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import { MillraceError } from '../errors.ts'
import type { SystemMessage } from '../messages/message.ts'
import { checkProviderHistory } from '../model/history/check-rules.ts'
import type { ProviderHistoryOptions } from '../model/history/history-rules.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import { requireCount, requireOneOf, requireTime } from '../option-checks.ts'
import type { ProcessInputStepArgs, ProcessInputStepReturn } from '../processors/input-hooks.ts'
import type { ProcessorEntry } from '../processors/pipeline.ts'
import type { ProcessorProvider } from '../processors/processor.ts'
import { isRecord } from '../record.ts'
import type { RequestContext } from '../request-context.ts'
import type { StopCondition } from '../results/stop-condition.ts'
import type { Schema } from '../schema.ts'
import type { RunStore } from '../storage/run-store.ts'
import type { ToolApprovalConfiguration } from '../tools/approval.ts'
import type { ToolChoice, ToolSet } from '../tools/tool.ts'

/** A value, or a function of the request that makes it. */
export type PerRequest<T> = T | ((requestContext: RequestContext) => T | Promise<T>)

/** Processors in order, or a function of the request that lists them. */
export type ProcessorList = PerRequest<readonly ProcessorEntry[]>

/** Processors of one call: added to the agent's, or in their place. */
export type ProcessorOverride = ProcessorList | { list: ProcessorList; replace: true }

/** What the agent is told before every conversation. */
export type Instructions = PerRequest<string | SystemMessage | readonly SystemMessage[]>

/** As `processInputStep`, after that of all processors. */
export type PrepareStep = (
  args: ProcessInputStepArgs,
) => ProcessInputStepReturn | Promise<ProcessInputStepReturn>

/** What an agent decides once and a call may decide for itself. */
interface SharedOptions {
  /** What the model is told before every conversation: a string, system messages, or a function of the request context. */
  instructions?: Instructions
  /** Changes messages, model, tools and settings of each step, after `processInputStep` of all processors. */
  prepareStep?: PrepareStep
  /**
   * Ends the loop after a step although tools were called, such as `isStepCount(5)` or `hasToolCall('pay')`; any one condition
   * suffices.
   */
  stopWhen?: StopCondition | readonly StopCondition[]
  /** Steps after which a run ends with `status: 'limit'`. Default: 20. */
  maxSteps?: number
  /** Names of the tools the model may call. Default: all. */
  activeTools?: string[]
  /** Whether the model may, must or must not call tools, or which one, as in the AI SDK. Default: the provider's, usually `auto`. */
  toolChoice?: ToolChoice
  /** Settings of the model call, such as `temperature`, as in the AI SDK. `maxRetries` of them is 2 unless they say otherwise. */
  modelSettings?: ModelSettings
  /**
   * Tokens the model can take, prompt and answer together, for processors that keep the prompt within it. Default: what the
   * model object says in a property of this name.
   */
  contextWindow?: number
  /** Options for the provider of the model, by its name, as in the AI SDK. */
  providerOptions?: SharedV4ProviderOptions
  /**
   * `live`: chunks go out as they come, and a rejected step is taken back. `step`: a step goes out when its response has
   * been accepted: before its calls are decided, where it has any, else after `processOutputResult`. What is rejected over
   * a call is taken back then too. Default: `live`.
   */
  emit?: 'live' | 'step'
}

export interface AgentOptions<TOOLS extends ToolSet = ToolSet> extends SharedOptions {
  /** For traces and errors. Default: `agent`. */
  name?: string
  /** An AI SDK model, or the id of one, such as `openai/gpt-5`. */
  model: LanguageModel
  /**
   * Tools by name, a `ToolSet` of the AI SDK or made with `tool()`; or a function of the request context that lists them: called
   * once for each run, also for one that is resumed. Use it where tools come and go, as those of an MCP server do.
   */
  tools?: PerRequest<TOOLS>
  /** Processors for all hooks, before those of the other two lists: a list, or a function of the request context. */
  processors?: ProcessorList
  /** Processors for the hooks on what goes into the model. */
  inputProcessors?: ProcessorList
  /** Processors for the hooks on what comes out of it. */
  outputProcessors?: ProcessorList
  /** Brings processors that go last in both lists. */
  memory?: ProcessorProvider
  /**
   * Where suspended runs are kept, and what processors count, if it lasts longer than the process. Default: the store of
   * the memory, here or in a list, else this process.
   */
  storage?: RunStore
  /** How long a suspended run can be resumed, in milliseconds. Default: 24 hours. */
  suspensionTtl?: number
  /**
   * When a run is stored. `suspend`: when it suspends, and from then on with the calls it makes once it is resumed. `step`:
   * also before each model call, so that a run whose process dies can be resumed from its last step. Default: `suspend`.
   */
  checkpoint?: 'suspend' | 'step'
  /**
   * How long no other process can resume a stored run after its process has died, in milliseconds. A process that works on a run
   * renews this lease. Default: 30,000.
   */
  runLease?: number
  /** Which tool calls need approval by a person, in the AI SDK's forms. A tool's own `needsApproval` comes second. */
  toolApproval?: ToolApprovalConfiguration
  /**
   * What of a conversation providers refuse, where that differs from the table of known providers: by provider or model, in
   * the terms of `HistoryRules`. `false` sends every prompt as it is. Default: that table.
   */
  providerHistory?: ProviderHistoryOptions
  /**
   * Runs are traced wherever an OpenTelemetry SDK is registered. `{ recordContent: true }` records what was said too. Default:
   * what was said is not recorded.
   */
  telemetry?: TelemetryOptions
  /** How often processors may ask for a step to be tried again in one run. Default: 3. */
  maxProcessorRetries?: number
  /** How many tools of a step run at the same time. Default: 10. */
  toolConcurrency?: number
}

export interface TelemetryOptions {
  /**
   * Records what was said, as the processors have left it: instructions, messages, tool inputs and results. Traces then
   * hold personal data. Default: false.
   */
  recordContent?: boolean
}

/** Time limits in milliseconds, in the AI SDK's names. */
export type Timeout =
  | number
  | {
      totalMs?: number
      stepMs?: number
      chunkMs?: number
      /** For each attempt of a tool. A limit that passes is an error of the tool (`TOOL_TIMEOUT`), and the run continues. */
      toolMs?: number
      /** The same for single tools, by name; it goes before `toolMs`. */
      tools?: Readonly<Record<string, number>>
    }

export interface RunOptions<SCHEMA extends Schema | undefined = Schema | undefined> extends SharedOptions {
  /** The conversation this run belongs to. */
  threadId?: string
  /** Who owns the conversation: a user, a tenant. */
  resourceId?: string
  /** Values for processors, tools and options that are functions: `new RequestContext({ plan: 'free' })`. */
  // biome-ignore lint/suspicious/noExplicitAny: a context of any values is a context
  requestContext?: RequestContext<any>
  /**
   * Whether the application wrote or stored every message of the input itself. A list of messages may be a client's
   * otherwise, whatever its form: then system messages and tool results are refused, and an agent with a memory takes
   * only the newest user message. Default: false.
   */
  trusted?: boolean
  /** The schema of a structured answer, found in `result.object`. */
  output?: SCHEMA
  /** Ends the run with `status: 'aborted'`, at once. */
  abortSignal?: AbortSignal
  /**
   * Milliseconds for the whole run, or `{ totalMs, stepMs, chunkMs, toolMs, tools: { name: ms } }`. A limit that passes ends
   * the run as `aborted` with `RUN_TIMEOUT`, but for those of tools, which end an attempt of a tool. Default: no limit.
   */
  timeout?: Timeout
  /** Another model for this call. Default: the agent's. */
  model?: LanguageModel
  /** Processors that are added to the agent's, or, as `{ list, replace: true }`, take their place. */
  processors?: ProcessorOverride
  /** The same for the agent's `inputProcessors`. */
  inputProcessors?: ProcessorOverride
  /** The same for the agent's `outputProcessors`. */
  outputProcessors?: ProcessorOverride
}

/**
 * Checks what types cannot: the options of an agent, or of a call.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option and its value
 */
export function checkOptions(options: Partial<AgentOptions> | RunOptions): void {
  const { maxSteps, maxProcessorRetries, toolConcurrency, emit, tools, suspensionTtl, runLease, checkpoint } =
    options as Partial<AgentOptions>
  const { timeout } = options as RunOptions
  if (maxSteps !== undefined) requireCount('maxSteps', maxSteps, 1)
  if (maxProcessorRetries !== undefined) requireCount('maxProcessorRetries', maxProcessorRetries, 0)
  if (toolConcurrency !== undefined) requireCount('toolConcurrency', toolConcurrency, 1)
  const { maxRetries, maxOutputTokens } = options.modelSettings ?? {}
  if (options.contextWindow !== undefined) requireCount('contextWindow', options.contextWindow, 1)
  if (maxOutputTokens !== undefined) requireCount('modelSettings.maxOutputTokens', maxOutputTokens, 1)
  if (maxRetries !== undefined) requireCount('modelSettings.maxRetries', maxRetries, 0)
  requireTime('suspensionTtl', suspensionTtl)
  requireTime('runLease', runLease)
  if (checkpoint !== undefined) requireOneOf('checkpoint', checkpoint, ['suspend', 'step'])
  if (typeof timeout === 'object') checkTimeout(timeout)
  else requireTime('timeout', timeout)
  const { trusted } = options as RunOptions
  if (trusted !== undefined && typeof trusted !== 'boolean') {
    throw new MillraceError('CONFIG_INVALID', `trusted is of type ${typeof trusted}. Use true or false.`)
  }
  if (emit !== undefined && emit !== 'live' && emit !== 'step') {
    throw new MillraceError('CONFIG_INVALID', `emit is '${String(emit)}'. Use 'live' or 'step'.`)
  }
  if (tools !== undefined && typeof tools !== 'function') checkTools(tools)
  checkProviderHistory((options as Partial<AgentOptions>).providerHistory)
}

const LIMITS: readonly string[] = ['totalMs', 'stepMs', 'chunkMs', 'toolMs']

function checkTimeout({ tools = {}, ...limits }: Exclude<Timeout, number>): void {
  if (!isRecord(tools)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `timeout.tools is of type ${typeof tools}. Use an object of milliseconds by tool name.`,
    )
  }
  for (const [name, milliseconds] of Object.entries(tools)) requireTime(`timeout.tools.${name}`, milliseconds)
  for (const [name, milliseconds] of Object.entries(limits)) {
    requireTime(`timeout.${name}`, milliseconds)
    if (LIMITS.includes(name)) continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `timeout.${name} is no limit an agent has. Use ${LIMITS.join(', ')} or tools.`,
    )
  }
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
        `The tool '${name}' has no inputSchema. Give it one, such as a zod object.`,
      )
    }
    const { maxRetries, retryable, onInterrupted = 'suspend' } = tool
    requireOneOf(`tools.${name}.onInterrupted`, onInterrupted, ['suspend', 'fail', 'retry'])
    if (maxRetries === undefined) continue
    requireCount(`tools.${name}.maxRetries`, maxRetries, 0)
    if (typeof retryable === 'function') continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `The tool '${name}' has maxRetries and no retryable. Add retryable: (error) => boolean.`,
    )
  }
}
