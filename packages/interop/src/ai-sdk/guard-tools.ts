import {
  type CounterStore,
  type ProcessorEntry,
  ProcessorPipeline,
  type RequestContext,
  refuseSuspend,
  type Tool,
  type ToolResult,
} from '@millrace/core'
import type { AnsweredCalls, CallAnswer } from '../adapter/answered-calls.ts'
import { GuardRejection, rejectionOf } from './guard-rejection.ts'
import type { GuardSession } from './guard-session.ts'

/** How {@link guardTools} works. */
export interface GuardToolsOptions {
  /** That of the guarded model. Default: every execution is on its own. */
  session?: GuardSession
  /** Values for the processors. Default: none. */
  // biome-ignore lint/suspicious/noExplicitAny: a context of any values is a context
  requestContext?: RequestContext<any>
  /** Where processors count. Default: each by itself. */
  counters?: CounterStore
}

/** As much of a tool of the AI SDK as is used. */
interface GivenTool {
  inputSchema?: unknown
  // biome-ignore lint/suspicious/noExplicitAny: a set of tools holds tools of any input
  execute?: ((input: any, options: any) => unknown) | undefined
}

/**
 * Tools whose outputs pass `processExecution` and `processToolResult` before the AI SDK has them: its steps, messages and
 * traces keep only what the processors leave. A guarded model cannot do that, since it sees a result only in the next call.
 * What is rejected is the error of the tool, with the reason as its message.
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
  options: GuardToolsOptions = {},
): TOOLS {
  return guardedTools(tools, new ProcessorPipeline([...processors]), options)
}

/** {@link guardTools}, with processors that were checked. What is rejected is told to `onRejected` too. */
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

/** One execution of a tool, between the processors. */
export class GuardedExecution {
  readonly #pipeline: ProcessorPipeline
  readonly #call: { toolCallId: string; toolName: string; input: unknown }
  readonly #tool: Tool
  readonly #onRejected: (error: unknown) => void
  readonly #where: string

  /** @param options.where What the tool is of, such as `the AI SDK` */
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

  /** The output as it is left. */
  async run(execute: (input: unknown) => unknown): Promise<unknown> {
    let last: unknown
    for await (const output of this.stream(execute)) last = output
    return last
  }

  /** The outputs as they are left: all but the last are preliminary. */
  async *stream(execute: (input: unknown) => unknown): AsyncGenerator<unknown> {
    const input = await this.#cross('in', this.#call.input).catch((error: unknown) => {
      throw this.#rejected(error)
    })
    try {
      const given = execute(input)
      if (!isIterable(given)) yield await this.#review(await given, false)
      else {
        // Which is the last is known at the end: until then each is preliminary, and the last is given twice.
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
      if (left.status === 'success') return left.output
      throw new ResultError(left.status === 'error' ? left.error : (left.reason ?? 'The result was denied.'))
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
      if (left.status === 'error' && left.error === message) return error
      return new ResultError(left.status === 'error' ? left.error : 'The tool failed.')
    } catch (rejected) {
      return this.#rejected(rejected)
    }
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

/** What a processor made of a result: the model is to be told. */
export class ResultError extends Error {}

/** An error of the processors, which is not theirs to review. */
class Reviewed {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/** The AI SDK asks at once, before the function has run. */
function isGenerator(run: { constructor: { name: string } }): boolean {
  return run.constructor.name === 'AsyncGeneratorFunction'
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
