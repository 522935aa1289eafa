import {
  type Chunk,
  type CounterStore,
  type OptionNames,
  type ProcessorEntry,
  ProcessorPipeline,
  type RequestContext,
  refuseSuspend,
  requireOptions,
  type Tool,
  type ToolResult,
} from '@millrace/core'
import type { AnsweredCalls, CallAnswer } from '../adapter/answered-calls.ts'
import { GuardRejection, rejectionOf } from './guard-rejection.ts'
import type { GuardSession } from './guard-session.ts'

/** Options of {@link guardTools}. */
export interface GuardToolsOptions {
  /** The session of the guarded model. Default: each execution is independent. */
  session?: GuardSession
  /** Values for the processors. Default: none. */
  // biome-ignore lint/suspicious/noExplicitAny: a context can have any values
  requestContext?: RequestContext<any>
  /** Where processors count. Default: each processor counts by itself. */
  counters?: CounterStore
}

export const GUARD_TOOLS_OPTIONS: OptionNames<GuardToolsOptions> = {
  session: 'optional',
  requestContext: 'optional',
  counters: 'optional',
}

/** The part of an AI SDK tool that is used. */
interface GivenTool {
  inputSchema?: unknown
  // biome-ignore lint/suspicious/noExplicitAny: a set of tools has tools with any input
  execute?: ((input: any, options: any) => unknown) | undefined
}

/**
 * Wraps tools, so that their outputs pass `processExecution` and `processToolResult` before the AI SDK
 * receives them: its steps, messages and traces contain only what the processors leave, and
 * `processDelivery` gives the caller. A guarded model cannot do that, because it sees a result only in the
 * next call. A rejection becomes the error of the tool, with the reason as its message.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`
 *
 * @example
 * const tools = guardTools({ lookUp }, processors)
 * await generateText({ model: guardModel(model, processors), tools, prompt })
 */
export function guardTools<TOOLS extends Record<string, GivenTool>>(
  tools: TOOLS,
  processors: readonly ProcessorEntry[],
  given: GuardToolsOptions = {},
): TOOLS {
  const options = requireOptions('guardTools()', given, GUARD_TOOLS_OPTIONS)
  return guardedTools(tools, new ProcessorPipeline([...processors]), options)
}

/** {@link guardTools} with validated processors. Rejections are also passed to `onRejected`. */
export function guardedTools<TOOLS extends Record<string, GivenTool>>(
  tools: TOOLS,
  checked: ProcessorPipeline,
  {
    onRejected,
    answers,
    ...options
  }: GuardToolsOptions & {
    onRejected?: (error: unknown) => void
    answers?: AnsweredCalls
  },
): TOOLS {
  const entries = Object.entries(tools).map(([name, tool]) => [name, guardTool(name, tool)])
  return Object.fromEntries(entries) as TOOLS

  function guardTool(toolName: string, given: GivenTool): GivenTool {
    const { execute } = given
    if (execute === undefined) return given
    const guarded = Object.assign(Object.create(Object.getPrototypeOf(given)) as GivenTool, given)
    return Object.assign(guarded, {
      execute: (input: unknown, call: { toolCallId: string; abortSignal?: AbortSignal }) => {
        const { session, ...shared } = options
        const pipeline = new ProcessorPipeline(checked, {
          ...shared,
          ...(session && { session: session.pipeline }),
          ...(call.abortSignal && { abortSignal: call.abortSignal }),
        })
        const { toolCallId } = call
        const answer = answers?.get(toolCallId)
        if (answer) return answerWith(answer)
        const execution = new GuardedExecution(pipeline, { toolCallId, toolName, input }, given as Tool, {
          onRejected,
        })
        const run = (own: unknown): unknown => execute.call(given, own, call)
        return isGenerator(execute) ? execution.stream(run) : execution.run(run)
      },
    })
  }
}

async function answerWith({ output, isError }: CallAnswer): Promise<unknown> {
  if (isError) throw new Error(String(output))
  return output
}

/** One execution of a tool, guarded by the processors. */
export class GuardedExecution {
  readonly #pipeline: ProcessorPipeline
  readonly #call: { toolCallId: string; toolName: string; input: unknown }
  readonly #tool: Tool
  readonly #onRejected: (error: unknown) => void
  readonly #where: string

  /** @param options.where The framework of the tool, such as `the AI SDK` */
  constructor(
    pipeline: ProcessorPipeline,
    call: { toolCallId: string; toolName: string; input: unknown },
    tool: Tool,
    {
      onRejected = () => {},
      where = 'the AI SDK',
    }: { onRejected?: ((error: unknown) => void) | undefined; where?: string } = {},
  ) {
    this.#onRejected = onRejected
    this.#where = where
    this.#pipeline = pipeline
    this.#call = call
    this.#tool = tool
  }

  /** The output after the processors. */
  async run(execute: (input: unknown) => unknown): Promise<unknown> {
    let last: unknown
    for await (const output of this.stream(execute)) last = output
    return last
  }

  /** The outputs after the processors. All but the last are preliminary. */
  async *stream(execute: (input: unknown) => unknown): AsyncGenerator<unknown> {
    const input = await this.#cross('in', this.#call.input).catch((error: unknown) => {
      throw this.#rejected(error)
    })
    try {
      const given = execute(input)
      if (!isIterable(given)) yield await this.#review(await given, false)
      else {
        // The last output is only known at the end: each is sent as preliminary, and the last one is sent
        // twice.
        let last: unknown
        for await (const output of given) {
          last = output
          yield await this.#review(output, true)
        }
        yield await this.#review(last, false)
      }
    } catch (error) {
      if (error instanceof Reviewed) throw error.error
      throw await this.#reviewError(error)
    }
  }

  async #review(output: unknown, preliminary: boolean): Promise<unknown> {
    try {
      const value = (await this.#cross('out', output)) ?? null
      const given: ToolResult = { ...this.#call, status: 'success', output: value }
      const left = await this.#pipeline.processToolResult(given, { preliminary })
      const call = this.#call
      if (left.status === 'success') {
        const chunk = await this.#deliver({ type: 'tool-result', ...call, output: left.output })
        return chunk.type === 'tool-result' ? chunk.output : left.output
      }
      throw await this.#errorOf(
        left.status === 'error' ? left.error : (left.reason ?? 'The result was denied.'),
      )
    } catch (error) {
      throw new Reviewed(this.#rejected(error))
    }
  }

  async #reviewError(error: unknown): Promise<unknown> {
    const message = error instanceof Error ? error.message : String(error)
    try {
      const crossed = String(await this.#cross('out', message))
      const given: ToolResult = { ...this.#call, status: 'error', error: crossed }
      const left = await this.#pipeline.processToolResult(given)
      const told = await this.#errorOf(left.status === 'error' ? left.error : 'The tool failed.')
      return told.message === message ? error : told
    } catch (rejected) {
      return this.#rejected(rejected)
    }
  }

  async #errorOf(error: string): Promise<ResultError> {
    const chunk = await this.#deliver({ type: 'tool-error', ...this.#call, error })
    return new ResultError(chunk.type === 'tool-error' ? chunk.error : error)
  }

  /** The chunk as the caller gets it. */
  async #deliver(chunk: Chunk): Promise<Chunk> {
    const delivered = await this.#pipeline.processDelivery(chunk)
    return delivered.find(({ type }) => type === chunk.type) ?? chunk
  }

  #rejected(error: unknown): unknown {
    this.#onRejected(error)
    const rejection = rejectionOf(error)
    return GuardRejection.isInstance(rejection) ? rejection : refuseSuspend(error, `a tool of ${this.#where}`)
  }

  #cross(direction: 'in' | 'out', value: unknown): Promise<unknown> {
    return this.#pipeline.processExecution(this.#call, direction, { value, tool: this.#tool })
  }
}

/** A processor turned a result into an error, which is sent to the model. */
export class ResultError extends Error {}

/** Marks an error of the processors, so that they do not review it again. */
class Reviewed {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/** The AI SDK checks this before it calls the function. */
function isGenerator(run: { constructor: { name: string } }): boolean {
  return run.constructor.name === 'AsyncGeneratorFunction'
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
