import type { BaseMessage } from '@langchain/core/messages'
import { Halt, PipelineSession, ProcessorPipeline, type ProcessorPipelineOptions } from '@millrace/core'
import { InputLimit } from '../adapter/input-limit.ts'
import type { GuardModelOptions } from '../ai-sdk/guard-model.ts'
import type { GuardSession } from '../ai-sdk/guard-session.ts'
import { promptOf } from './messages-to-prompt.ts'
import { type LeftMessage, PromptReader } from './prompt-to-messages.ts'
import { refusalOf } from './refusal.ts'

/** What the processors left of the messages that a run begins with. */
export interface ReviewedInput {
  /** What is to be kept: the messages as they are left. */
  state: BaseMessage[]
  /** What processors added for this run, before the newest message of the user. */
  added: BaseMessage[]
  systemMessages: LeftMessage[]
  /** The answer of a processor in the place of the model's. */
  halted: string | undefined
}

/**
 * Asks the processors about the messages that a run begins with, results of tools among them.
 *
 * @param options.session Gets what the processors keep, for the calls of the model in this run
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
  // What it knows of the prompt is not that of the calls, which have other system messages.
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

/** The messages with those that processors added before the newest of the user. */
export function withAdded(messages: readonly BaseMessage[], added: readonly BaseMessage[]): BaseMessage[] {
  const newest = messages.findLastIndex(({ type }) => type === 'human')
  const place = newest < 0 ? messages.length : newest
  return [...messages.slice(0, place), ...added, ...messages.slice(place)]
}
