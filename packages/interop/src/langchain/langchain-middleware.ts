import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import {
  type ControlArgs,
  isRecord,
  type MessageList,
  type OptionNames,
  type Processor,
  type ProcessorArgs,
  type RequestContext,
  requireOptions,
  type SuspendArgs,
  type ToolSet,
} from '@millrace/core'
import { ADAPTER_OPTIONS, type AdapterOptions, identityOf } from '../adapter/adapter.ts'
import { addNew, setTranscript } from '../adapter/transcript.ts'
import { modelMiddleware } from '../ai-sdk/model-middleware.ts'
import { linesOf } from '../lines/lines-of-messages.ts'
import { type Rewritten, rewrite } from '../lines/messages-of-lines.ts'
import { afterUpdate, LangChainTranscript } from './message-lines.ts'
import {
  type CalledHook,
  checkMiddleware,
  hookOf,
  initialState,
  type PublishedMiddleware,
} from './published-middleware.ts'
import { wrapExecute } from './wrap-execute.ts'
import { wrapGenerate } from './wrap-generate.ts'

/** Options of {@link langchainMiddleware}. */
export interface LangChainMiddlewareOptions extends AdapterOptions {
  /** The value of `runtime.context` for the middleware. Default: nothing. */
  // biome-ignore lint/suspicious/noExplicitAny: a context can have any values
  context?: (requestContext: RequestContext<any>) => unknown
}

const LANG_CHAIN_MIDDLEWARE_OPTIONS: OptionNames<LangChainMiddlewareOptions> = {
  ...ADAPTER_OPTIONS,
  context: 'optional',
}

/**
 * Runs a middleware written for LangChain, with LangChain's own messages. `beforeAgent` runs in
 * `processInput`, `beforeModel` in `processInputStep`, `afterModel` in `processOutputStep`, `afterAgent` in
 * `processOutputResult`. A `wrapModelCall` receives complete answers, and a `wrapToolCall` runs around the
 * tools. Its state lasts for the run.
 *
 * If it throws, the run fails. The run also fails if it returns something that cannot be applied here: a
 * `Command`, another model, new tools, or a jump that the loop does not support.
 *
 * @throws MillraceError `CONFIG_INVALID` for a middleware that cannot work here
 */
export function langchainMiddleware(
  middleware: PublishedMiddleware,
  given: LangChainMiddlewareOptions = {},
): Processor {
  const options = requireOptions('langchainMiddleware()', given, LANG_CHAIN_MIDDLEWARE_OPTIONS)
  checkMiddleware(middleware)
  const adapted = new AdaptedMiddleware(middleware, options)
  const wrapModelCall = hookOf(middleware.wrapModelCall)
  const wrapToolCall = hookOf(middleware.wrapToolCall)
  const [beforeAgent, beforeModel, afterModel, afterAgent] = (
    ['beforeAgent', 'beforeModel', 'afterModel', 'afterAgent'] as const
  ).map((name) => hookOf(middleware[name])?.bind(middleware))
  const generate =
    (wrapModelCall || afterModel) &&
    ((args: ProcessorArgs) =>
      modelMiddleware({
        wrapGenerate: (call) =>
          wrapGenerate(call, {
            wrapModelCall: wrapModelCall?.bind(middleware),
            afterModel:
              afterModel && ((messages, answer) => adapted.review(args, afterModel, [...messages, answer])),
            runtime: adapted.runtime(args),
            stateOf: (messages) => adapted.stateOf(args, messages),
          }),
      }).wrapModelCall)
  return {
    ...identityOf(options, 'langchain-middleware'),

    ...(beforeAgent && {
      async processInput(args) {
        const { rewritten, jumpTo, text } = await adapted.run(args, beforeAgent, args.messages)
        if (jumpTo === 'end') args.halt(text)
        adapted.refuseJump(jumpTo, ['model'])
        if (!rewritten.isChanged) return undefined
        addNew(args.messageList, { ...rewritten, trailing: 'context' })
        return rewritten.messages
      },
    }),

    ...((beforeModel || wrapToolCall) && {
      async processInputStep(args) {
        let messageList: MessageList | undefined
        if (beforeModel) {
          const { rewritten, jumpTo, text } = await adapted.run(args, beforeModel, args.messages)
          if (jumpTo === 'end') args.halt(text)
          adapted.refuseJump(jumpTo, ['model'])
          if (rewritten.isChanged) {
            setTranscript(args.messageList, rewritten)
            messageList = args.messageList
          }
        }
        const runtime = adapted.runtime(args)
        const wrapped: ToolSet | undefined =
          wrapToolCall &&
          Object.fromEntries(
            Object.entries(args.tools).map(([name, tool]) => [
              name,
              wrapExecute(name, tool, {
                wrapToolCall: wrapToolCall.bind(middleware),
                runtime,
                state: () =>
                  adapted.stateOf(args, new LangChainTranscript(linesOf(args.messageList.get())).messages),
              }),
            ]),
          )
        return { ...(messageList && { messageList }), ...(wrapped && { tools: wrapped }) }
      },
    }),

    ...(generate && {
      wrapModelCall: (args) => (generate(args) as NonNullable<Processor['wrapModelCall']>)(args),
    }),

    ...(afterModel && {
      processOutputStep(args) {
        const { jumpTo, text, question, hasAnswer } = adapted.reviewed(args)
        if (jumpTo === 'end' && (hasAnswer || args.toolCalls.length > 0)) args.halt(text)
        return question === undefined ? undefined : { continue: question }
      },
    }),

    ...(afterAgent && {
      async processOutputResult(args) {
        const { rewritten, jumpTo } = await adapted.run(args, afterAgent, args.messageList.get())
        adapted.refuseJump(jumpTo, ['end'])
        if (!rewritten.isChanged) return undefined
        setTranscript(args.messageList, rewritten)
        return args.messageList
      },
    }),
  } satisfies Processor
}

/** The result of `afterModel` for a step. */
interface Reviewed {
  jumpTo: unknown
  text: string
  /** The middleware ends the run with its own answer. */
  hasAnswer: boolean
  question?: string
}

class AdaptedMiddleware {
  readonly #middleware: PublishedMiddleware
  readonly #options: LangChainMiddlewareOptions

  constructor(middleware: PublishedMiddleware, options: LangChainMiddlewareOptions) {
    this.#middleware = middleware
    this.#options = options
  }

  /** Runs a hook on the transcript. */
  async run(
    args: (ControlArgs | SuspendArgs) & { messageList: MessageList },
    hook: CalledHook,
    messages: Parameters<typeof linesOf>[0],
  ): Promise<{ rewritten: Rewritten; jumpTo: unknown; text: string }> {
    const known = linesOf(messages)
    const handed = new LangChainTranscript(known)
    const { update, jumpTo } = await this.#call(args, hook, handed.messages)
    const left = afterUpdate(handed.messages, update)
    const last = left.findLast(({ type }) => type === 'ai')
    return {
      rewritten: rewrite(known, handed.read(left)),
      jumpTo,
      text: last?.text ?? '',
    }
  }

  runtime({ requestContext, abortSignal }: ProcessorArgs): Record<string, unknown> {
    const { threadId } = requestContext
    return Object.freeze({
      context: this.#options.context?.(requestContext) ?? {},
      configurable: { ...(threadId !== undefined && { thread_id: threadId }) },
      store: undefined,
      writer: () => {},
      interrupt: () => {
        throw this.#refusal('called interrupt(), but there is no graph to resume')
      },
      signal: abortSignal,
    })
  }

  stateOf(args: ProcessorArgs, messages: readonly BaseMessage[]): Record<string, unknown> {
    return { ...this.#ownState(args), messages: [...messages] }
  }

  /** The answer after `afterModel`. A jump is stored until the review of the step. */
  async review(args: ProcessorArgs, hook: CalledHook, messages: readonly BaseMessage[]): Promise<AIMessage> {
    const before = messages.map((message) => JSON.stringify(message))
    const { update, jumpTo } = await this.#call(args, hook, messages)
    const left = afterUpdate(messages, update)
    const answer = left[messages.length - 1]
    const added = left.slice(messages.length)
    const isHistorySame = before.slice(0, -1).every((json, index) => json === JSON.stringify(left[index]))
    if (!AIMessage.isInstance(answer) || !isHistorySame)
      throw this.#refusal('changed messages before the answer in afterModel. Change them in beforeModel')
    this.refuseJump(jumpTo, ['end', 'model', 'tools'])
    const [first, ...others] = added
    const isQuestion = jumpTo === 'model' && first?.type === 'human' && others.length === 0
    const isEnd = jumpTo === 'end' && added.every(({ type }) => type === 'ai' || type === 'tool')
    if (!isQuestion && !isEnd && (added.length > 0 || jumpTo === 'model'))
      throw this.#refusal(
        "added messages in afterModel. Only a HumanMessage with a jump to 'model' can be used",
      )
    const text = left.findLast(({ type }) => type === 'ai')?.text ?? ''
    const reviewed: Reviewed = {
      jumpTo,
      text,
      hasAnswer: added.some(({ type }) => type === 'ai'),
      ...(isQuestion && { question: first.text }),
    }
    args.state.reviewed = reviewed
    return answer
  }

  reviewed({ state }: ProcessorArgs): Reviewed {
    return (state.reviewed as Reviewed | undefined) ?? { jumpTo: undefined, text: '', hasAnswer: false }
  }

  refuseJump(jumpTo: unknown, allowed: readonly string[]): void {
    if (jumpTo === undefined || allowed.includes(String(jumpTo))) return
    throw this.#refusal(`jumped to '${String(jumpTo)}', which the loop does not support at this point`)
  }

  async #call(
    args: ProcessorArgs,
    hook: CalledHook,
    messages: readonly BaseMessage[],
  ): Promise<{ update: unknown; jumpTo: unknown }> {
    const returned = await hook(this.stateOf(args, messages), this.runtime(args))
    if (returned !== undefined && returned !== null && (!isRecord(returned) || 'lg_name' in returned))
      throw this.#refusal('returned a value that is not a state update')
    const { messages: update, jumpTo, ...own } = (returned ?? {}) as Record<string, unknown>
    if ('type' in own) throw this.#refusal('returned a control action')
    Object.assign(this.#ownState(args), own)
    return { update, jumpTo }
  }

  #ownState({ state }: ProcessorArgs): Record<string, unknown> {
    state.middleware ??= initialState(this.#middleware)
    return state.middleware as Record<string, unknown>
  }

  #refusal(what: string): Error {
    return new Error(`The middleware '${this.#middleware.name}' ${what}.`)
  }
}
