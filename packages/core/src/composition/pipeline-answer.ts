import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { nextAttempt } from '../loop/model/next-attempt.ts'
import { prepareStep } from '../loop/model/prepare-step.ts'
import { runModelCall } from '../loop/model/run-model-call.ts'
import { reviewResult } from '../loop/output/review-result.ts'
import { reviewStep } from '../loop/output/review-step.ts'
import { isRetracted } from '../loop/output/shown-answer.ts'
import { StepOutput } from '../loop/output/step-output.ts'
import { answerChunk } from '../loop/tools/answer-chunk.ts'
import { processToolCall } from '../loop/tools/process-tool-call.ts'
import type { ProviderMetadata } from '../messages/message.ts'
import type { Chunk } from '../results/chunk.ts'
import type { FinishReason, HaltInfo, StepResponse } from '../results/outcome.ts'
import { allowsTools, ownCalls } from '../run/own-calls.ts'
import type { Run } from '../run/run.ts'
import type { RunSettings } from '../run/run-settings.ts'
import { Step } from '../run/step.ts'
import { isThenable } from '../schema.ts'
import { Halt, TripWire } from '../signals.ts'
import type { Answer } from '../tools/decision.ts'
import { ownTool, type ToolCall } from '../tools/tool.ts'
import type { Usage } from '../usage.ts'
import type { Emit } from './answer-delivery.ts'
import { refuseApproval } from './refuse-approval.ts'
import { UNKNOWN_TOOL } from './unknown-tool.ts'

export { AnswerDelivery } from './answer-delivery.ts'

/** Options of {@link ProcessorPipeline.answer}. */
export interface PipelineAnswerOptions
  extends Partial<
    Pick<
      RunSettings,
      | 'model'
      | 'tools'
      | 'activeTools'
      | 'toolChoice'
      | 'modelSettings'
      | 'providerOptions'
      | 'structuredOutput'
      | 'maxProcessorRetries'
      | 'maxSteps'
      | 'emit'
      | 'stepTimeout'
      | 'chunkTimeout'
      | 'onPart'
    >
  > {
  /** The prompt: see {@link ProcessorPipeline.processPrompt}. Default: the current transcript. */
  prompt?: LanguageModelV4Prompt
  /**
   * Whether the answer ends after tool calls even if processors have answered all of them, so that the caller
   * receives the answers and calls the model again. Default: false, the model is called again at once.
   */
  endsWithCalls?: boolean
  /** Whether `processInput` was already called for the newest input of the prompt. Default: false. */
  isReviewed?: boolean
  /**
   * Receives each chunk directly, instead of `chunks`, at a lower cost. The answer waits for a promise that it
   * returns. Must not throw.
   */
  write?: (chunk: Chunk) => Promise<void> | undefined
}

/** A guarded answer in progress. */
export interface PipelineAnswer {
  /**
   * The chunks after the processors, in order. A `step-discarded` discards everything since the last `step-start`.
   * Tool calls follow after the processors have decided on them. Can be read once; leaving early cancels the model
   * call.
   */
  readonly chunks: AsyncIterable<Chunk>
  /**
   * Resolves after `chunks` has ended. Rejects with the reason if the answer was cut short: `TripWire`, `Suspend`, a
   * `MillraceError`, or the abort reason.
   */
  readonly end: Promise<PipelineAnswerEnd>
  /** Cancels the model call and the processors. `end` rejects. */
  cancel(): void
}

/** The end of an answer. */
export interface PipelineAnswerEnd {
  finishReason: FinishReason
  /** The usage of all model calls. */
  usage: Usage
  response: StepResponse
  /** Set if a processor answered in the model's place. */
  halt: HaltInfo | undefined
  /** The metadata of the last model call, after the processors. */
  providerMetadata: ProviderMetadata | undefined
  /** The whole final text, if processors have changed it after it was streamed. */
  replacedText: string | undefined
}

/**
 * Calls the model as a step of the loop does, after `prepare` has filled the transcript. Calls it again if a
 * processor requests a retry or answers all tool calls itself, at most `maxSteps` times. Unanswered calls are left to
 * the caller, with their input after the processors.
 */
export async function answer(
  run: Run,
  first: Step,
  { prepare, ...options }: AskOptions & { prepare: () => Promise<{ text: string } | undefined> | undefined },
): Promise<PipelineAnswerEnd> {
  try {
    const finish = await prepare()
    return await ask(run, first, { ...options, finish: finish?.text })
  } catch (error) {
    if (!run.over && TripWire.isInstance(error) && run.pipeline.processOutputResult)
      await (await import('../loop/end/review-incomplete.ts')).reviewIncomplete(run, 'blocked')
    if (run.over || !Halt.isInstance(error)) throw error
    const { haltRun } = await import('../loop/end/halt-run.ts')
    await haltRun(run, error)
    return endOf(run, run.current?.step ?? first)
  }
}

interface AskOptions {
  emit: Emit
  endsWithCalls: boolean
}

async function ask(
  run: Run,
  first: Step,
  { emit, finish, endsWithCalls }: AskOptions & { finish: string | undefined },
): Promise<PipelineAnswerEnd> {
  let step = first
  for (;;) {
    const output = new StepOutput(run, step)
    run.current = { step, output }
    try {
      if (finish !== undefined) {
        await output.start()
        await output.answer(finish)
        step.state.finishReason = 'stop'
      } else {
        for (const work of STAGES) {
          const working = work(run, step, output)
          if (isThenable(working)) await working
        }
      }
      const calls = ownCalls(step.state)
      const decided = await decide(run, step, calls)
      if (calls.length > 0 || step.state.follow.length > 0 || run.settings.emit === 'live')
        await output.release()
      for (const { call, answer } of decided) {
        await emit({ type: 'tool-call', ...call, ...(answer && { providerExecuted: true, ...ANSWERED }) })
        if (answer) await output.enqueue({ ...answerChunk(call, answer), ...ANSWERED })
      }
      const isAnswered = calls.length > 0 && decided.every(({ answer }) => answer !== undefined)
      await output.finish()
      const { follow, finishReason } = step.state
      const asksAgain = follow.length > 0 || (isAnswered && !endsWithCalls && allowsTools(finishReason))
      if (asksAgain && run.steps.length + 1 < run.settings.maxSteps) {
        for (const message of follow) run.messageList.add(message, 'response')
        run.accept(step)
        step = new Step(step.number + 1)
        continue
      }
      if (calls.length === 0 || (isAnswered && !endsWithCalls)) {
        step.state.end = 'completed'
        await output.close({ type: 'finish', status: 'completed', finishReason, usage: run.state.usage })
        await reviewResult(run, step)
      }
      run.accept(step)
      await output.end()
      return endOf(run, step)
    } catch (error) {
      step = await nextAttempt(run, step, output, error)
    }
  }
}

const STAGES = [prepareStep, runModelCall, reviewStep]

/** A tool call after the processors, with the answer of a processor that answered in the tool's place. */
interface DecidedCall {
  call: ToolCall
  answer: Answer | undefined
}

/** Decides on all calls before any is emitted: the caller might execute the calls of an answer that fails later. */
async function decide(run: Run, step: Step, calls: readonly ToolCall[]): Promise<DecidedCall[]> {
  if (run.pipeline.processToolCall === null) return calls.map((call) => ({ call, answer: undefined }))
  const decided: DecidedCall[] = []
  for (const toolCall of calls) {
    const tool = ownTool(step.tools, toolCall.toolName) ?? UNKNOWN_TOOL
    const decision = await processToolCall(run, step, { toolCall, tool })
    const { inputError: _, ...rest } = toolCall
    if (!('answer' in decision)) refuseApproval(step, toolCall.toolCallId)
    if ('answer' in decision) decided.push({ call: toolCall, answer: decision.answer })
    else if (decision.input === toolCall.input) decided.push({ call: toolCall, answer: undefined })
    else decided.push({ call: { ...rest, input: decision.input }, answer: undefined })
  }
  return decided
}

/** Marks a call that a processor answered, and its answer. In a later prompt they become a call of the model again. */
const ANSWERED = { providerMetadata: { millrace: { answered: true } } } as const

function endOf(run: Run, { state }: Step): PipelineAnswerEnd {
  const { halt, usage } = run.state
  const isReplaced = run.steps.some(isRetracted)
  return {
    finishReason: halt ? 'stop' : state.finishReason,
    usage,
    response: state.response,
    halt,
    providerMetadata: state.providerMetadata,
    replacedText: isReplaced && !halt ? run.steps.map((step) => step.state.text).join('') : undefined,
  }
}
