import type { JSONObject } from '@ai-sdk/provider'
import type { ProviderMetadata } from '../messages/message.ts'
import type { PromptMessages } from '../messages/model-message.ts'
import { type OptionNames, requireOptions } from '../option-names.ts'
import type { RequestContext } from '../request-context.ts'
import type { InferSchema, Schema } from '../schema.ts'
import type { Usage } from '../usage.ts'
import type { AgentProgress } from './agent-progress.ts'
import type { ToolModelOutput } from './tool-model-output.ts'

/** The second argument of a tool's `execute`. */
export interface ToolExecutionOptions {
  toolCallId: string
  /**
   * A key for services that must execute the call only once. It consists of the run and the call, and is the same in
   * every attempt and process.
   */
  idempotencyKey: string
  /** The prompt that led to the call, without its system messages. */
  messages: PromptMessages
  /** Aborted when the run is aborted or this attempt times out. Pass it on to `fetch` and the like. */
  abortSignal: AbortSignal
  requestContext: RequestContext
  /** If the tool had suspended: the data that the run was resumed with, and the payload of the suspension. */
  resumeData: unknown
  suspendPayload: unknown
  /** Who has answered: `by` of `resume`. */
  resumedBy: string | undefined
  /** Adds tokens that the tool has used to the run's `usage`. */
  addUsage(usage: Usage): void
  /** An empty object, for compatibility with the AI SDK. Use `requestContext` for data of the request. */
  context: Record<string, never>
}

/**
 * A tool that the model can call. The AI SDK's `tool()` and `dynamicTool()`, provider tools and plain objects are
 * accepted; {@link tool} infers the type of the input from its schema.
 *
 * `execute` may return a value, a promise, or an async iterable: then every value is a preliminary result, and the
 * last one is the result. A tool without `execute` runs at the client: the run suspends, and is resumed with the
 * output.
 *
 * Each output is converted to JSON once, directly after `execute`, as `JSON.stringify` would write it: `toJSON` is
 * called (a `Date` becomes its ISO string), and `undefined`, functions and symbols are left out. A `bigint` becomes
 * its digits, an `Error` its name, message and fields, and no output becomes `null`. Values that JSON would lose are
 * an error of the tool with their path: a `Map`, a `Set`, bytes, a cycle, an object with private fields only, more
 * than 1,000 levels. Bytes of files in an output of `type: 'content'` become base64. An error that a tool throws
 * becomes its message.
 */
// biome-ignore lint/suspicious/noExplicitAny: a set of tools holds tools of any input; each tool checks its own
export interface Tool<INPUT = any, OUTPUT = any> {
  /**
   * As in the AI SDK: `dynamic` if the types of input and output are unknown, `provider` for a provider's own tool.
   * Default: `function`.
   */
  type?: 'function' | 'dynamic' | 'provider' | undefined
  /** Tells the model what the tool is for. */
  description?: string | ((options: { context: never }) => string) | undefined
  /** A title for the application. Not sent to the model. */
  title?: string | undefined
  /** The schema of the input. An invalid input is an error that the model sees. */
  inputSchema: Schema<INPUT>
  /** As in the AI SDK, for types only: outputs are not validated. */
  outputSchema?: unknown
  /**
   * Executes the tool: returns the output, a promise of it, or an async iterable of preliminary outputs. Default: the
   * tool runs at the client, and the run suspends until it is resumed with the output.
   */
  execute?(input: INPUT, options: ToolExecutionOptions): AsyncIterable<OUTPUT> | PromiseLike<OUTPUT> | OUTPUT
  /**
   * Called directly before `execute`, followed by `onInputAvailable`, also in streams: guards may still deny the call
   * or change its input before. An error is the result of the call. Not called when a call continues after a
   * suspension, nor for a tool without `execute`. The AI SDK's `onInputDelta` is never called.
   */
  onInputStart?(options: ToolExecutionOptions): PromiseLike<void> | void
  /** As `onInputStart`, with the input. */
  onInputAvailable?(options: ToolExecutionOptions & { input: INPUT }): PromiseLike<void> | void
  /**
   * Whether a call may be retried after this error: what the tool threw, or `TOOL_TIMEOUT`. The backoff is that of
   * model calls: `Retry-After` of an AI SDK error, otherwise half a second that doubles. The model sees the last
   * error. Default: no error is retryable.
   */
  retryable?(error: unknown): boolean
  /** Maximum number of retries after errors that are `retryable`. Default: 2. */
  maxRetries?: number | undefined
  /** Converts the output for the model. Default: a string as text, anything else as JSON. */
  toModelOutput?(options: {
    toolCallId: string
    input: INPUT
    output: OUTPUT
  }): ToolModelOutput | PromiseLike<ToolModelOutput>
  /** Whether a call needs a person's approval before it is executed. The agent's `toolApproval` takes precedence. */
  needsApproval?: boolean | NeedsApproval | undefined
  /**
   * What happens to a call in a stored run if the process died after the call was started, so that it may have been
   * executed or not. `suspend`: the run suspends until a person provides the outcome
   * ({@link InterruptedCallAnswer}). `fail`: the model receives an error that says so. `retry`: the call is executed
   * again with the same `idempotencyKey`; for tools that only read, or that pass the key on. Default: `suspend`.
   */
  onInterrupted?: 'fail' | 'retry' | 'suspend' | undefined
  /** Asks the provider to enforce the input schema, if it supports that. */
  strict?: boolean | undefined
  /** Example inputs for the model, if the provider supports them. */
  inputExamples?: { input: INPUT }[] | undefined
  /** Provider-specific options by provider name, as in the AI SDK. */
  providerOptions?: ProviderMetadata | undefined
  /** Metadata of the call for the application. Not sent to the model. */
  metadata?: JSONObject | undefined
  /** Provider tools only: the id of the tool. */
  id?: `${string}.${string}` | undefined
  /** Provider tools only: the configuration. */
  args?: Record<string, unknown> | undefined
  /** Provider tools only, as in the AI SDK: whether the provider executes the calls. */
  isProviderExecuted?: boolean | undefined
}

/** Keys of the AI SDK's tools in addition to ours. They have no effect here. */
interface AIToolKeys {
  contextSchema?: unknown
  deferLoading?: boolean
  onInputDelta?: unknown
  supportsDeferredResults?: boolean
}

export const TOOL_KEYS: OptionNames<Tool & AIToolKeys> = {
  type: 'optional',
  description: 'optional',
  title: 'optional',
  inputSchema: 'required',
  outputSchema: 'optional',
  execute: 'optional',
  onInputStart: 'optional',
  onInputAvailable: 'optional',
  retryable: 'optional',
  maxRetries: 'optional',
  toModelOutput: 'optional',
  needsApproval: 'optional',
  onInterrupted: 'optional',
  strict: 'optional',
  inputExamples: { input: 'required' },
  providerOptions: 'optional',
  metadata: 'optional',
  id: 'optional',
  args: 'optional',
  isProviderExecuted: 'optional',
  contextSchema: 'optional',
  deferLoading: 'optional',
  onInputDelta: 'optional',
  supportsDeferredResults: 'optional',
}

/** Decides whether a call needs approval. The same type as in the AI SDK. */
export type NeedsApproval = {
  // A method type is bivariant, so a function of one tool's input and context is assignable in a set of tools.
  decide(
    // biome-ignore lint/suspicious/noExplicitAny: the input is what the tool's schema says
    input: any,
    // biome-ignore lint/suspicious/noExplicitAny: the AI SDK's tools declare a context of their own
    options: { toolCallId: string; messages: any[]; context: any },
  ): boolean | PromiseLike<boolean>
}['decide']

/** Tools by the name by which the model calls them. */
export type ToolSet = Record<string, Tool>

/** The tool with this name. Own properties only, because names come from the model and may be `constructor`. */
export function ownTool(tools: ToolSet, name: string): Tool | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined
}

/** The input type of a tool's `execute`. */
// biome-ignore lint/suspicious/noExplicitAny: matches any argument list
export type InferToolInput<TOOL> = TOOL extends { execute: (input: infer INPUT, ...rest: any[]) => unknown }
  ? INPUT
  : TOOL extends { inputSchema: infer SCHEMA }
    ? InferSchema<SCHEMA>
    : unknown

/** The output type of a tool; for a streaming tool, the type of one value. */
// biome-ignore lint/suspicious/noExplicitAny: matches any argument list
export type InferToolOutput<TOOL> = TOOL extends { execute: (...options: any[]) => infer RESULT }
  ? RESULT extends AsyncIterable<infer OUTPUT>
    ? OUTPUT
    : Awaited<RESULT>
  : unknown

/** A call of the model. `input` is parsed, and validated before the tool runs. */
export interface ToolCall<NAME extends string = string, INPUT = unknown> {
  toolCallId: string
  toolName: NAME
  input: INPUT
  /** Why `input` is a raw string: the model sent invalid JSON. */
  inputError?: string
  providerExecuted?: boolean
  dynamic?: boolean
  providerMetadata?: ProviderMetadata
}

/** The name in Mastra's reference documents. */
export type ToolCallInfo = ToolCall

/** A call and its result. Every call has exactly one. */
export type ToolResult<NAME extends string = string, INPUT = unknown, OUTPUT = unknown> = ToolCall<
  NAME,
  INPUT
> & {
  /** Number of retries after an error that is `retryable`, if any. */
  retries?: number
  /** Who has approved, denied or answered the call: `by` of `resume`. */
  decidedBy?: string
  /** The agent's progress, if the tool is an agent. */
  agent?: AgentProgress
} & (
    | { status: 'success'; output: OUTPUT }
    | { status: 'error'; error: string }
    | { status: 'denied'; reason?: string }
  )

/** The calls of a set of tools, discriminated by `toolName`. */
export type ToolCallOf<TOOLS extends ToolSet> = string extends keyof TOOLS
  ? ToolCall
  : { [NAME in keyof TOOLS & string]: ToolCall<NAME, InferToolInput<TOOLS[NAME]>> }[keyof TOOLS & string]

/** The results of a set of tools, discriminated by `toolName` and `status`. */
export type ToolResultOf<TOOLS extends ToolSet> = string extends keyof TOOLS
  ? ToolResult
  : {
      [NAME in keyof TOOLS & string]: ToolResult<
        NAME,
        InferToolInput<TOOLS[NAME]>,
        InferToolOutput<TOOLS[NAME]>
      >
    }[keyof TOOLS & string]

/** Whether the model must, may or must not call tools, or which one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { type: 'tool'; toolName: string }

type ToolDefinition<SCHEMA extends Schema, OUTPUT> = Omit<
  Tool<InferSchema<SCHEMA>, OUTPUT>,
  'inputSchema' | 'execute'
> & { inputSchema: SCHEMA }

/** Not an interface: emitted declarations inline it, so it needs no exported name. */
type Executable<INPUT, OUTPUT> = {
  execute: (
    input: INPUT,
    options: ToolExecutionOptions,
  ) => AsyncIterable<OUTPUT> | PromiseLike<OUTPUT> | OUTPUT
}

/**
 * Defines a tool. The type of its input is inferred from the schema. A tool without `execute` runs at the client.
 *
 * @example
 * const weather = tool({
 *   description: 'The weather in a city',
 *   inputSchema: z.object({ city: z.string() }),
 *   execute: ({ city }) => `Sunny in ${city}`,
 * })
 */
export function tool<SCHEMA extends Schema, OUTPUT>(
  definition: ToolDefinition<SCHEMA, OUTPUT> & Executable<InferSchema<SCHEMA>, OUTPUT>,
): Tool<InferSchema<SCHEMA>, OUTPUT> & Executable<InferSchema<SCHEMA>, OUTPUT>
export function tool<SCHEMA extends Schema>(
  definition: ToolDefinition<SCHEMA, unknown>,
): Tool<InferSchema<SCHEMA>, unknown>
export function tool(definition: object): Tool {
  return requireOptions('tool()', definition as Tool, TOOL_KEYS)
}
