import type { JSONObject } from '@ai-sdk/provider'
import type { ProviderMetadata } from '../messages/message.ts'
import type { PromptMessages } from '../messages/model-message.ts'
import type { RequestContext } from '../request-context.ts'
import type { InferSchema, Schema } from '../schema.ts'
import type { Usage } from '../usage.ts'
import type { AgentProgress } from './agent-progress.ts'
import type { ToolModelOutput } from './tool-model-output.ts'

/** What a tool's `execute` gets besides its input. */
export interface ToolExecutionOptions {
  toolCallId: string
  /**
   * Names this call for services that are to carry it out once: the run and the call, the same in every attempt, in
   * every process.
   */
  idempotencyKey: string
  /** The prompt that led to the call, without its system messages. */
  messages: PromptMessages
  /** Fires when the run is aborted or the time of this attempt is up: pass it on to `fetch` and the like. */
  abortSignal: AbortSignal
  requestContext: RequestContext
  /** Where the tool had suspended: what the run was resumed with, and the payload it had suspended with. */
  resumeData: unknown
  suspendPayload: unknown
  /** Counts tokens the tool has used into the run's `usage`. */
  addUsage(usage: Usage): void
  /** The AI SDK's name for what belongs to a request. Millrace has `requestContext` for it; this is an empty object. */
  context: Record<string, never>
}

/**
 * A tool the model can call. The AI SDK's `tool()` and `dynamicTool()` and providers' own tools fit in, as does a
 * plain object; {@link tool} infers the input's type from its schema.
 *
 * `execute` may return a value, a promise, or an async iterable: then every value is a preliminary result and the last
 * one the result. A tool without `execute` runs at the client: the run suspends, and is resumed with its output.
 *
 * Each output becomes JSON once, right behind `execute` and before anybody sees it, as `JSON.stringify` writes it: `toJSON`
 * is called (a `Date` is its ISO string), and `undefined`, functions and symbols are left out. A `bigint` is its digits, an
 * `Error` its name, message and fields, and no output at all is `null`. What JSON would lose is an error of the tool with
 * the path to it: a `Map`, a `Set`, bytes, a cycle, an object whose fields are all private, more than 1,000 levels. Bytes
 * of files in an output of `type: 'content'` become base64. What a tool throws is its message.
 */
// biome-ignore lint/suspicious/noExplicitAny: a set of tools holds tools of any input; each tool checks its own
export interface Tool<INPUT = any, OUTPUT = any> {
  /** As in the AI SDK: `dynamic` where the types of input and output are not known, `provider` for a provider's own. Default: `function`. */
  type?: 'function' | 'dynamic' | 'provider' | undefined
  /** Tells the model what the tool is for. */
  description?: string | ((options: { context: never }) => string) | undefined
  /** Shown with the call to the application, not to the model. */
  title?: string | undefined
  /** What the model passes. An input that does not fit is an error that the model sees. */
  inputSchema: Schema<INPUT>
  /** As in the AI SDK, for types: outputs are not checked. */
  outputSchema?: unknown
  /**
   * Does the work: returns the output, a promise of it, or an async iterable of preliminary outputs. Default: the tool runs at
   * the client, and the run suspends until it has answered.
   */
  execute?(input: INPUT, options: ToolExecutionOptions): AsyncIterable<OUTPUT> | PromiseLike<OUTPUT> | OUTPUT
  /**
   * Called right before `execute`, in this order, in streams too: until then guards may refuse the call or change its
   * input, so no code of the tool hears of it. An error is the call's result. Not called for a call that continues after
   * it had suspended, nor for a tool without `execute`; the AI SDK's `onInputDelta` is never called.
   */
  onInputStart?(options: ToolExecutionOptions): PromiseLike<void> | void
  /** The same, with the input. */
  onInputAvailable?(options: ToolExecutionOptions & { input: INPUT }): PromiseLike<void> | void
  /**
   * Whether a call may be executed again after this error: what the tool threw, or `TOOL_TIMEOUT` where its time was up.
   * Back-off is that of model calls: what `Retry-After` of an AI SDK's error says, else half a second that doubles. The
   * model sees the last error. Default: no error is retryable.
   */
  retryable?(error: unknown): boolean
  /** How often a call is executed again after errors that are `retryable`. Default: 2. */
  maxRetries?: number | undefined
  /** How the output is shown to the model. Default: a string as text, anything else as JSON. */
  toModelOutput?(options: {
    toolCallId: string
    input: INPUT
    output: OUTPUT
  }): ToolModelOutput | PromiseLike<ToolModelOutput>
  /** Whether a call needs a person's approval before it is executed. The agent's `toolApproval` comes first. */
  needsApproval?: boolean | NeedsApproval | undefined
  /**
   * What becomes of a call that was started in a stored run whose process then died: it may have been executed, or not.
   * `suspend`: the run suspends, and a person says so ({@link ToolInterruptedPayload}). `fail`: the model gets an error
   * that says so. `retry`: it is executed again, with the same `idempotencyKey`; for tools that only read, or that pass
   * the key on. Default: `suspend`.
   */
  onInterrupted?: 'fail' | 'retry' | 'suspend' | undefined
  /** Asks the provider to enforce the input schema, where it can. */
  strict?: boolean | undefined
  /** Inputs that show the model how to call the tool, where the provider takes them. */
  inputExamples?: { input: INPUT }[] | undefined
  /** Options for the provider of the model, by its name, as in the AI SDK. */
  providerOptions?: ProviderMetadata | undefined
  /** Shown with the call to the application, not to the model. */
  metadata?: JSONObject | undefined
  /** Provider tools only: which one. */
  id?: `${string}.${string}` | undefined
  /** Provider tools only: their configuration. */
  args?: Record<string, unknown> | undefined
  /** Provider tools only, as in the AI SDK: whether the provider executes the calls. */
  isProviderExecuted?: boolean | undefined
}

/** Decides for one call whether it needs approval. In the AI SDK's form. */
export type NeedsApproval = {
  // A method, so that a function of one tool's input and context fits into a set of tools.
  decide(
    // biome-ignore lint/suspicious/noExplicitAny: the input is what the tool's schema says
    input: any,
    // biome-ignore lint/suspicious/noExplicitAny: the AI SDK's tools declare a context of their own
    options: { toolCallId: string; messages: any[]; context: any },
  ): boolean | PromiseLike<boolean>
}['decide']

/** Tools by the name the model calls them. */
export type ToolSet = Record<string, Tool>

/** The tool of this name, or `undefined`: names such as `constructor` come from the model and find nothing. */
export function ownTool(tools: ToolSet, name: string): Tool | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined
}

/** The input a tool's `execute` gets. */
// biome-ignore lint/suspicious/noExplicitAny: matches any argument list
export type InferToolInput<TOOL> = TOOL extends { execute: (input: infer INPUT, ...rest: any[]) => unknown }
  ? INPUT
  : TOOL extends { inputSchema: infer SCHEMA }
    ? InferSchema<SCHEMA>
    : unknown

/** The output of a tool; of a streaming tool, one value of its stream. */
// biome-ignore lint/suspicious/noExplicitAny: matches any argument list
export type InferToolOutput<TOOL> = TOOL extends { execute: (...options: any[]) => infer RESULT }
  ? RESULT extends AsyncIterable<infer OUTPUT>
    ? OUTPUT
    : Awaited<RESULT>
  : unknown

/** A call the model makes. `input` is parsed, and validated by the time the tool runs. */
export interface ToolCall<NAME extends string = string, INPUT = unknown> {
  toolCallId: string
  toolName: NAME
  input: INPUT
  /** Why `input` is a raw string: the model sent no valid JSON. */
  inputError?: string
  providerExecuted?: boolean
  dynamic?: boolean
  providerMetadata?: ProviderMetadata
}

/** The name the reference documents of Mastra use. */
export type ToolCallInfo = ToolCall

/** A call and how it ended. Every call has exactly one result. */
export type ToolResult<NAME extends string = string, INPUT = unknown, OUTPUT = unknown> = ToolCall<
  NAME,
  INPUT
> & {
  /** How often the tool was executed again after an error that is `retryable`, if at all. */
  retries?: number
  /** What the agent did, where the tool is one. */
  agent?: AgentProgress
} & (
    | { status: 'success'; output: OUTPUT }
    | { status: 'error'; error: string }
    | { status: 'denied'; reason?: string }
  )

/** The calls a set of tools can get, told apart by `toolName`. */
export type ToolCallOf<TOOLS extends ToolSet> = string extends keyof TOOLS
  ? ToolCall
  : { [NAME in keyof TOOLS & string]: ToolCall<NAME, InferToolInput<TOOLS[NAME]>> }[keyof TOOLS & string]

/** The results a set of tools can give, told apart by `toolName` and `status`. */
export type ToolResultOf<TOOLS extends ToolSet> = string extends keyof TOOLS
  ? ToolResult
  : {
      [NAME in keyof TOOLS & string]: ToolResult<
        NAME,
        InferToolInput<TOOLS[NAME]>,
        InferToolOutput<TOOLS[NAME]>
      >
    }[keyof TOOLS & string]

/** Which tool the model must, may or must not call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { type: 'tool'; toolName: string }

type ToolDefinition<SCHEMA extends Schema, OUTPUT> = Omit<
  Tool<InferSchema<SCHEMA>, OUTPUT>,
  'inputSchema' | 'execute'
> & { inputSchema: SCHEMA }

/** No interface: declarations of users' tools spell it out, and need no name for it. */
type Executable<INPUT, OUTPUT> = {
  execute: (
    input: INPUT,
    options: ToolExecutionOptions,
  ) => AsyncIterable<OUTPUT> | PromiseLike<OUTPUT> | OUTPUT
}

/**
 * Defines a tool, with the type of its input inferred from the schema. A tool without `execute` runs at the client.
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
  return definition as Tool
}
