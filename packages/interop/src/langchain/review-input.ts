import type { BaseMessage } from '@langchain/core/messages'
import { Halt, PipelineSession, ProcessorPipeline, type ProcessorPipelineOptions } from '@millrace/core'
import { InputLimit } from '../adapter/input-limit.ts'
import type { GuardModelOptions } from '../ai-sdk/guard-model.ts'
import type { GuardSession } from '../ai-sdk/guard-session.ts'
import { promptOf } from './messages-to-prompt.ts'
import { PromptReader, type ResultingMessage } from './prompt-to-messages.ts'
import { refusalOf } from './refusal.ts'

/** The input of a run, after the processors. */
export interface ReviewedInput {
  /** The messages for the state. */
  state: BaseMessage[]
  /** Messages that processors added for this run, before the newest user message. */
  added: BaseMessage[]
  systemMessages: ResultingMessage[]
  /** The answer of a processor that halted, in place of the model's. */
  halted: string | undefined
}

/**
 * Passes the messages at the start of a run to the processors, including tool results.
 *
 * @param options.session Receives the state of the processors, for the model calls of this run
 */
export async function reviewInput(
  given: readonly BaseMessage[],
  processors: ProcessorPipeline,
  {
    session,
    abortSignal,
    timeout,
    ...options
  }: GuardModelOptions & { session: GuardSession; abortSignal: AbortSignal | undefined },
): Promise<ReviewedInput> {
  const limit = new InputLimit(timeout, abortSignal)
  // A separate session, because the model calls have other system messages.
  const review = new PipelineSession()
  const { counters, contextWindow, onData, requestContext } = options
  const pipeline = new ProcessorPipeline(processors, {
    session: review,
    abortSignal: limit.signal,
    ...(counters && { counters }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(onData && { onData }),
    ...(requestContext && { requestContext }),
  } satisfies ProcessorPipelineOptions)
  let halted: string | undefined
  try {
    halted = (await limit.wait(pipeline.processPrompt(promptOf(given))))?.text
  } catch (error) {
    if (!Halt.isInstance(error)) throw refusalOf(error)
    halted = error.response
  }
  for (const [id, state] of review.states) session.pipeline.states.set(id, state)
  const reader = new PromptReader(given)
  const state: BaseMessage[] = []
  const added: BaseMessage[] = []
  for (const message of pipeline.messageList.get()) {
    const prompt = await pipeline.messageList.toPrompt({ messages: [message] })
    const isContext = pipeline.messageList.originOf(message.id) === 'context'
    for (const left of reader.read(prompt)) (isContext ? added : state).push(left.message)
  }
  const systemMessages = reader.read(pipeline.systemMessages.map((message) => ({ ...message })))
  return { state, added, systemMessages, halted }
}

/** Inserts the messages that processors added before the newest user message. */
export function withAdded(messages: readonly BaseMessage[], added: readonly BaseMessage[]): BaseMessage[] {
  const newest = messages.findLastIndex(({ type }) => type === 'human')
  const place = newest < 0 ? messages.length : newest
  return [...messages.slice(0, place), ...added, ...messages.slice(place)]
}
