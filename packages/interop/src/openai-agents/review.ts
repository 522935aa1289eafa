import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { Halt, ProcessorPipeline, type ProcessorPipelineOptions } from '@millrace/core'
import { InputLimit } from '../adapter/input-limit.ts'
import type { GuardModelOptions } from '../ai-sdk/guard-model.ts'
import { rejectionOf } from '../ai-sdk/guard-rejection.ts'

/** What guards take that are asked outside of a model call. */
export interface ReviewOptions
  extends Pick<GuardModelOptions, 'requestContext' | 'counters' | 'contextWindow' | 'onData'> {
  /** Milliseconds that the processors may take. Default: no limit. */
  timeout?: number
  /** Ends what the processors wait for: OpenAI Agents tells guardrails and sessions of no abort. */
  abortSignal?: AbortSignal
}

/**
 * Runs `work` over processors, within the limits.
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

/** What the processors leave of a prompt, as a model would be asked. */
export async function leftOfPrompt(
  pipeline: ProcessorPipeline,
  prompt: LanguageModelV4Prompt,
): Promise<LanguageModelV4Prompt> {
  await pipeline.processPrompt(prompt)
  const { messages, systemMessages } = await pipeline.processInputStep()
  return pipeline.messageList.toPrompt({ messages, systemMessages })
}
