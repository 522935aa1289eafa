import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { Halt, type OptionNames, ProcessorPipeline, type ProcessorPipelineOptions } from '@millrace/core'
import { InputLimit } from '../adapter/input-limit.ts'
import type { GuardModelOptions } from '../ai-sdk/guard-model.ts'
import { rejectionOf } from '../ai-sdk/guard-rejection.ts'

/** Options of guards that run outside of a model call. */
export interface ReviewOptions
  extends Pick<GuardModelOptions, 'requestContext' | 'counters' | 'contextWindow' | 'onData'> {
  /** The time limit for the processors, in milliseconds. Default: no limit. */
  timeout?: number
  /** Aborts the processors. OpenAI Agents passes no abort signal to guardrails and sessions. */
  abortSignal?: AbortSignal
}

export const REVIEW_OPTIONS: OptionNames<ReviewOptions> = {
  requestContext: 'optional',
  counters: 'optional',
  contextWindow: 'optional',
  onData: 'optional',
  timeout: 'optional',
  abortSignal: 'optional',
}

/**
 * Runs `work` with the processors, within the limits.
 *
 * @throws GuardRejection, MillraceError, Halt
 */
export async function review<RESULT>(
  checked: ProcessorPipeline,
  { timeout, abortSignal, ...options }: ReviewOptions,
  work: (pipeline: ProcessorPipeline) => Promise<RESULT>,
): Promise<RESULT> {
  const limit = new InputLimit(timeout, abortSignal)
  const all: ProcessorPipelineOptions = { ...options, abortSignal: limit.signal }
  try {
    return await limit.wait(work(new ProcessorPipeline(checked, all)))
  } catch (error) {
    throw Halt.isInstance(error) ? error : rejectionOf(error)
  }
}

/** A prompt after the processors, as a model would receive it. */
export async function reviewPrompt(
  pipeline: ProcessorPipeline,
  prompt: LanguageModelV4Prompt,
): Promise<LanguageModelV4Prompt> {
  await pipeline.processPrompt(prompt)
  const { messages, systemMessages } = await pipeline.processInputStep()
  return pipeline.messageList.toPrompt({ messages, systemMessages })
}
