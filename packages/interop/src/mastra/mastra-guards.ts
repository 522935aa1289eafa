import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  Halt,
  type Message,
  MillraceError,
  type OptionNames,
  PerRun,
  type ProcessorEntry,
  ProcessorPipeline,
  requireOptions,
  type SystemMessage,
} from '@millrace/core'
import { InputLimit } from '../adapter/input-limit.ts'
import { GUARD_MODEL_OPTIONS, type GuardModelOptions } from '../ai-sdk/guard-model.ts'
import { guardedTools } from '../ai-sdk/guard-tools.ts'
import { contextOf, GuardedRun, MastraModel } from './guarded-run.ts'
import { fromMastra, toMastra } from './mastra-messages.ts'
import type { MastraHookArgs, MastraMessage } from './mastra-types.ts'

/** Options of {@link mastraGuards}. */
export interface MastraGuardsOptions extends Omit<GuardModelOptions, 'session' | 'requestContext'> {
  /** The id of the processor in Mastra. Default: `millrace`. */
  id?: string
}

const { session: _, requestContext: __, ...MODEL_OPTIONS } = GUARD_MODEL_OPTIONS

const MASTRA_GUARDS_OPTIONS: OptionNames<MastraGuardsOptions> = { ...MODEL_OPTIONS, id: 'optional' }

/** A Mastra processor. */
export interface MastraGuard {
  readonly id: string
  readonly name: string
  processInput(args: InputArgs): Promise<{ messages: never[]; systemMessages: never[] }>
  processInputStep(args: InputStepArgs): Promise<{ model: never; tools?: Record<string, unknown> }>
  processOutputStream(args: MastraHookArgs & { part: unknown }): Promise<never>
  processOutputStep(args: MastraHookArgs): never
  processOutputResult(args: MastraHookArgs): never
}

interface InputArgs extends MastraHookArgs {
  systemMessages: unknown[]
}

interface InputStepArgs extends MastraHookArgs {
  model: unknown
  tools?: Record<string, unknown>
}

/**
 * Millrace processors as input and output processors of a Mastra agent. Spread the result into its options.
 * They guard the input before Mastra stores it, the model of every step as `guardModel` does, and the tools
 * as `guardTools` does. Mastra streams, stores and traces only what they leave. A rejection, or a processor
 * that throws, is a tripwire of Mastra.
 *
 * @throws MillraceError `CONFIG_…` as an agent does for its `processors`
 *
 * @example
 * const agent = new Agent({ id: 'support', name: 'Support', model, instructions, ...mastraGuards([new PIIDetector()]) })
 */
export function mastraGuards(
  processors: readonly ProcessorEntry[],
  given: MastraGuardsOptions = {},
): { inputProcessors: MastraGuard[]; outputProcessors: MastraGuard[] } {
  const { id = 'millrace', ...options } = requireOptions('mastraGuards()', given, MASTRA_GUARDS_OPTIONS)
  const guard = new Guard(id, new ProcessorPipeline([...processors]), options)
  return { inputProcessors: [guard], outputProcessors: [guard] }
}

class Guard implements MastraGuard {
  readonly id: string
  readonly name: string
  readonly #processors: ProcessorPipeline
  readonly #options: Omit<MastraGuardsOptions, 'id'>
  /** Keyed by the state that Mastra keeps for this processor in a run. */
  readonly #runs = new PerRun<GuardedRun>()

  constructor(id: string, processors: ProcessorPipeline, options: Omit<MastraGuardsOptions, 'id'>) {
    this.id = id
    this.name = id
    this.#processors = processors
    this.#options = options
  }

  async processInput(args: InputArgs): Promise<{ messages: never[]; systemMessages: never[] }> {
    const { messageList, abort } = args
    const run = this.#runOf(args)
    const { timeout } = this.#options
    const limit = new InputLimit(timeout, args.abortSignal)
    const pipeline = this.#pipeline(run, args, limit.signal)
    const given = new Map<string, { before: MastraMessage; message: Message }>()
    const history: Message[] = []
    for (const before of messageList.get.all.db()) {
      const message = fromMastra(before, messageList)
      if (!message) continue
      if (messageList.get.input.db().some(({ id }) => id === before.id))
        given.set(before.id, { before, message })
      else if (before.role !== 'system') history.push(message)
    }
    pipeline.messageList.add(history, 'remembered')
    let systemMessages: readonly unknown[] = args.systemMessages
    try {
      const input = [...given.values()].map(({ message }) => message)
      const left = await limit.wait(
        pipeline.processInput(input, {
          trusted: true,
          systemMessages: systemMessagesIn(args.systemMessages),
        }),
      )
      systemMessages = left.systemMessages
    } catch (error) {
      if (Halt.isInstance(error)) run.halted = error.response
      else if (run.reject(error)) run.abortIfRejected(abort)
      else throw error
    }
    run.markInputReviewed()
    const messages = messageList.get.all.db().flatMap((message) => {
      const known = given.get(message.id)
      if (!known) return [message]
      const left = pipeline.messageList.find(message.id)
      if (!left) return []
      return isSame(left, known.message) ? [message] : [toMastra(left, messageList, known.before)]
    })
    for (const added of pipeline.messageList.get('context'))
      messageList.add([toMastra(added, messageList)], 'context')
    return { messages: messages as never[], systemMessages: systemMessages as never[] }
  }

  async processInputStep(args: InputStepArgs): Promise<{ model: never; tools?: Record<string, unknown> }> {
    const run = this.#runOf(args)
    const { model, tools, requestContext } = args
    if (!isModel(model)) {
      throw new MillraceError(
        'MODEL_UNRESOLVED',
        'The model of the agent is not an AI SDK model with specification v4, so its answers cannot be guarded. Use a model of AI SDK 7.',
      )
    }
    const context = contextOf(requestContext)
    const options = { ...this.#options, requestContext: context }
    const guarded = new MastraModel(model, run, { processors: this.#processors, options })
    const onRejected = (error: unknown): void => void run.reject(error)
    const { counters } = this.#options
    return {
      model: guarded as never,
      ...(tools && {
        tools: guardedTools(tools as Record<string, object>, this.#processors, {
          session: run.session,
          requestContext: context,
          onRejected,
          answers: run.answers,
          ...(counters && { counters }),
        }),
      }),
    }
  }

  /** In a stream, only an abort in this hook becomes a chunk that the reader sees. */
  async processOutputStream(args: MastraHookArgs & { part: unknown }): Promise<never> {
    this.#runOf(args).abortIfRejected(args.abort)
    return args.part as never
  }

  processOutputStep(args: MastraHookArgs): never {
    this.#runOf(args).abortIfRejected(args.abort)
    return args.messageList as never
  }

  processOutputResult(args: MastraHookArgs): never {
    this.#runOf(args).abortIfRejected(args.abort)
    return args.messageList as never
  }

  #runOf({ state }: MastraHookArgs): GuardedRun {
    const run = this.#runs.get(state) ?? new GuardedRun()
    this.#runs.set(state, run)
    return run
  }

  #pipeline(
    run: GuardedRun,
    { requestContext }: MastraHookArgs,
    abortSignal: AbortSignal,
  ): ProcessorPipeline {
    const { counters, contextWindow, onData } = this.#options
    return new ProcessorPipeline(this.#processors, {
      session: run.session.pipeline,
      requestContext: contextOf(requestContext),
      abortSignal,
      ...(counters && { counters }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(onData && { onData }),
    })
  }
}

function isModel(model: unknown): model is LanguageModelV4 {
  return (model as { specificationVersion?: unknown } | undefined)?.specificationVersion === 'v4'
}

function systemMessagesIn(given: readonly unknown[]): SystemMessage[] {
  return (given as { role: 'system'; content: unknown }[]).map((message) => ({
    ...message,
    content: String(message.content),
  }))
}

/** Processors may copy messages, so the content is compared. */
function isSame(left: Message, given: Message): boolean {
  return JSON.stringify(left.content.parts) === JSON.stringify(given.content.parts)
}
