import { AIMessage, type BaseMessage, RemoveMessage, ToolMessage } from '@langchain/core/messages'
import {
  isRecord,
  MillraceError,
  type OptionNames,
  type ProcessorEntry,
  ProcessorPipeline,
  RequestContext,
  requireOptions,
  type ToolCall,
} from '@millrace/core'
import type { CallAnswer } from '../adapter/answered-calls.ts'
import { GUARD_MODEL_OPTIONS, GuardedModel, type GuardModelOptions } from '../ai-sdk/guard-model.ts'
import { AgentRun } from './agent-run.ts'
import { GuardedChatModel } from './guarded-chat-model.ts'
import { guardedTool } from './guarded-tool.ts'
import { refusalOf } from './refusal.ts'
import { reviewInput, withAdded } from './review-input.ts'

/** Options of {@link millraceMiddleware}. */
export interface MillraceMiddlewareOptions extends Omit<GuardModelOptions, 'session' | 'requestContext'> {
  /** The name of the middleware in LangChain. Default: `millrace`. */
  name?: string
}

const { session: _, requestContext: __, ...MODEL_OPTIONS } = GUARD_MODEL_OPTIONS

const MILLRACE_MIDDLEWARE_OPTIONS: OptionNames<MillraceMiddlewareOptions> = {
  ...MODEL_OPTIONS,
  name: 'optional',
}

/** A middleware for LangChain's `createAgent`. */
export interface MillraceMiddleware {
  name: string
  beforeAgent: {
    hook(state: AgentState, runtime: AgentRuntime): Promise<StateUpdate | undefined>
    canJumpTo: 'end'[]
  }
  // biome-ignore lint/suspicious/noExplicitAny: LangChain's types depend on its graph
  wrapModelCall(request: any, handler: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  wrapToolCall(request: any, handler: any): Promise<any>
}

interface AgentState {
  messages: BaseMessage[]
}

interface StateUpdate {
  messages: BaseMessage[]
  jumpTo?: 'end'
}

/** The part of a hook's runtime that is used. */
interface AgentRuntime {
  context?: unknown
  configurable?: Record<string, unknown> | undefined
  writer?: unknown
  signal?: AbortSignal | undefined
}

interface ModelRequest {
  model: unknown
  messages: BaseMessage[]
  tools?: readonly unknown[]
  runtime: AgentRuntime
}

interface ToolRequest {
  toolCall: { id?: string; name: string; args: unknown }
  tool: unknown
  runtime: AgentRuntime
}

/**
 * Runs Millrace processors around a LangChain agent. They guard the input before the agent uses it, and write
 * what they leave to its state. They guard the model of every call as `guardChatModel` does, and the tools.
 * LangChain streams, stores and traces only what they leave. A rejection, or a processor that throws, fails
 * the run.
 *
 * Put it last in the list, so that it also guards what other middleware adds to a request.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`; `CONFIG_INVALID` for an invalid
 *   option
 *
 * @example
 * const agent = createAgent({ model, tools, middleware: [millraceMiddleware([new PIIDetector({ strategy: 'redact' })])] })
 */
export function millraceMiddleware(
  processors: readonly ProcessorEntry[],
  given: MillraceMiddlewareOptions = {},
): MillraceMiddleware {
  const { name = 'millrace', ...options } = requireOptions(
    'millraceMiddleware()',
    given,
    MILLRACE_MIDDLEWARE_OPTIONS,
  )
  const pipeline = new ProcessorPipeline([...processors])
  // Validates the options before any run.
  new GuardedModel('', pipeline, options)
  const guard = new AgentGuard(pipeline, options)
  return {
    [MIDDLEWARE]: true,
    name,
    beforeAgent: { hook: (state, runtime) => guard.beforeAgent(state, runtime), canJumpTo: ['end'] },
    wrapModelCall: (request, handler) => guard.wrapModelCall(request, handler),
    wrapToolCall: (request, handler) => guard.wrapToolCall(request, handler),
  } as MillraceMiddleware
}

/** The brand by which LangChain recognizes a middleware. */
const MIDDLEWARE = Symbol.for('AgentMiddleware')
const REMOVE_ALL = '__remove_all__'

class AgentGuard {
  readonly #processors: ProcessorPipeline
  readonly #options: Omit<MillraceMiddlewareOptions, 'name'>
  /** Keyed by an object that LangGraph creates for each run, then by the agent in the graph. */
  readonly #runs = new WeakMap<object, Map<string, AgentRun>>()

  constructor(processors: ProcessorPipeline, options: Omit<MillraceMiddlewareOptions, 'name'>) {
    this.#processors = processors
    this.#options = options
  }

  async beforeAgent({ messages }: AgentState, runtime: AgentRuntime): Promise<StateUpdate | undefined> {
    const run = new AgentRun()
    this.#keep(run, runtime)
    const { state, added, systemMessages, halted } = await reviewInput(messages, this.#processors, {
      ...this.#options,
      session: run.session,
      requestContext: contextOf(runtime),
      abortSignal: runtime.signal,
    })
    run.keepReviewed([...state, ...added])
    run.added = added
    run.addedSystem = systemMessages.flatMap(({ message, given }) => (given ? [] : [message]))
    const left = [...systemMessages.flatMap(({ message, given }) => (given ? [message] : [])), ...state]
    const update = updateOf(messages, left)
    if (halted === undefined) return update && { messages: update }
    return { messages: [...(update ?? []), new AIMessage(halted)], jumpTo: 'end' }
  }

  wrapModelCall(
    request: ModelRequest,
    handler: (request: ModelRequest) => Promise<unknown>,
  ): Promise<unknown> {
    const { model, messages, runtime } = request
    const run = this.#runOf(runtime)
    const { session, answers } = run
    const names = new Set((request.tools ?? []).map((tool) => (tool as { name?: unknown }).name))
    const executes = (toolName: string): boolean => names.has(toolName)
    const guarded = new GuardedChatModel(model, {
      processors: this.#processors,
      options: { ...this.#options, requestContext: contextOf(runtime) },
      agent: {
        session,
        answers,
        executes,
        isReviewed: (asked) => run.takeReviewed(asked),
        onDecided: (call) => run.keepDecided(call),
      },
    })
    return handler({
      ...request,
      model: guarded,
      messages: [...run.addedSystem, ...withAdded(messages, run.added)],
    })
  }

  async wrapToolCall(
    request: ToolRequest,
    handler: (request: ToolRequest) => Promise<unknown>,
  ): Promise<unknown> {
    const { toolCall, tool, runtime } = request
    const { id: toolCallId = '', name: toolName, args } = toolCall
    const run = this.#runOf(runtime)
    const answer = run.answers.get(toolCallId)
    if (answer) return answered(toolCall, answer)
    const { counters } = this.#options
    const pipeline = new ProcessorPipeline(this.#processors, {
      session: run.session.pipeline,
      requestContext: contextOf(runtime),
      ...(runtime.signal && { abortSignal: runtime.signal }),
      ...(counters && { counters }),
    })
    let input = args
    if (!run.isDecided(toolCall)) {
      const decision = await decide(pipeline, { toolCallId, toolName, input: args })
      if (!('input' in decision)) return answered(toolCall, decision)
      input = decision.input
    }
    // LangChain answers calls of unknown tools itself.
    if (tool === undefined) return handler(request)
    const result = await handler({
      ...request,
      toolCall: { ...toolCall, args: input },
      tool: guardedTool(tool, pipeline, { toolCallId, toolName, input }),
    })
    if (ToolMessage.isInstance(result)) return result
    throw new MillraceError(
      'CONFIG_INVALID',
      `A middleware within '${toolName}' returned a Command, which would write content to the state that no processor has seen. Put millraceMiddleware() after it, or return a ToolMessage.`,
    )
  }

  #keep(run: AgentRun, { writer, configurable }: AgentRuntime): void {
    if (typeof writer !== 'function') return
    const runs = this.#runs.get(writer) ?? new Map<string, AgentRun>()
    this.#runs.set(writer, runs.set(agentOf(configurable), run))
  }

  /** A resumed run starts from scratch: its history is reviewed again. */
  #runOf(runtime: AgentRuntime): AgentRun {
    const { writer, configurable } = runtime
    const known =
      typeof writer === 'function' ? this.#runs.get(writer)?.get(agentOf(configurable)) : undefined
    if (known) return known
    const run = new AgentRun()
    this.#keep(run, runtime)
    return run
  }
}

/** Asks the processors about a call. Returns the input to use, or an answer instead of the tool's. */
async function decide(
  pipeline: ProcessorPipeline,
  toolCall: ToolCall,
): Promise<{ input: unknown } | CallAnswer> {
  try {
    const decision = await pipeline.processToolCall(toolCall)
    if ('input' in decision) return decision
    if ('output' in decision) return { output: decision.output, isError: false }
    return { output: decision.deny ?? 'The call was denied.', isError: true }
  } catch (error) {
    throw refusalOf(error)
  }
}

function answered({ id = '', name }: ToolRequest['toolCall'], { output, isError }: CallAnswer): ToolMessage {
  return new ToolMessage({
    tool_call_id: id,
    name,
    content: typeof output === 'string' ? output : (JSON.stringify(output) ?? ''),
    status: isError ? 'error' : 'success',
  })
}

/** The position of the agent in the graph, without that of the node. */
function agentOf(configurable: Record<string, unknown> | undefined): string {
  return String(configurable?.checkpoint_ns ?? '')
    .split('|')
    .slice(0, -1)
    .join('|')
}

/** A copy of LangChain's context as a request context. */
function contextOf({ context, configurable }: AgentRuntime): RequestContext {
  const threadId = configurable?.thread_id
  return new RequestContext(
    isRecord(context) ? { ...context } : {},
    typeof threadId === 'string' ? { threadId } : {},
  )
}

/** The state update that turns the given messages into `left`. Nothing if they are unchanged. */
function updateOf(given: readonly BaseMessage[], left: readonly BaseMessage[]): BaseMessage[] | undefined {
  const isSameList = left.length === given.length && left.every(({ id }, index) => id === given[index]?.id)
  if (!isSameList) return [new RemoveMessage({ id: REMOVE_ALL }), ...left]
  const changed = left.filter((message, index) => message !== given[index])
  return changed.length > 0 ? changed : undefined
}
