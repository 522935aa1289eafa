import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { nextAttempt } from '../loop/model/next-attempt.ts'
import { prepareStep } from '../loop/model/prepare-step.ts'
import { runModelCall } from '../loop/model/run-model-call.ts'
import { reviewResult } from '../loop/output/review-result.ts'
import { reviewStep } from '../loop/output/review-step.ts'
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
import { Halt } from '../signals.ts'
import type { Answer } from '../tools/decision.ts'
import { ownTool, type ToolCall } from '../tools/tool.ts'
import type { Usage } from '../usage.ts'
import { UNKNOWN_TOOL } from './unknown-tool.ts'

/** What the model is asked by {@link ProcessorPipeline.answer}, and how. */
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
  /** What the model is asked: see {@link ProcessorPipeline.processPrompt}. Default: the transcript as it is. */
  prompt?: LanguageModelV4Prompt
  /**
   * The answer ends where the model called tools, also where processors answered all the calls: the caller takes the answers,
   * and asks again. Default: the model is asked again at once.
   */
  endsWithCalls?: boolean
  /** The processors were asked about the newest input in it already, with `processInput`. Default: false. */
  isReviewed?: boolean
  /**
   * Takes each chunk as it comes, in the place of `chunks`, which costs less. The answer waits for a promise it returns.
   * It must not throw.
   */
  write?: (chunk: Chunk) => Promise<void> | undefined
}

/** A guarded answer under way. */
export interface PipelineAnswer {
  /**
   * What the processors leave, in order. A `step-discarded` takes back all that came since the last `step-start`. Calls of
   * tools come once the processors have decided about them. It is read once; to leave it early cancels the model call.
   */
  readonly chunks: AsyncIterable<Chunk>
  /**
   * Resolves when `chunks` has ended. Rejects with what cut the answer short: `TripWire`, `Suspend`, a `MillraceError`, or
   * the reason of the abort.
   */
  readonly end: Promise<PipelineAnswerEnd>
  /** Cancels the model call and the processors; `end` rejects. */
  cancel(): void
}

/** How an answer came to its end. */
export interface PipelineAnswerEnd {
  finishReason: FinishReason
  /** Of all model calls it took. */
  usage: Usage
  response: StepResponse
  /** A processor answered in the model's place. */
  halt: HaltInfo | undefined
  /** Of the last model call, as the processors left it. */
  providerMetadata: ProviderMetadata | undefined
  /** All of the text as it stands, where processors changed it after it was streamed. */
  replacedText: string | undefined
}

/**
 * Asks the model, once `prepare` has filled the transcript, as a step of the loop does, and again where a processor wants another attempt, or answers every call of
 * a tool itself: at most `maxSteps` times. Calls that are not answered are left to the caller, with the input that the
 * processors leave.
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

/** Hands a chunk to the reader, past what holds calls back. */
type Emit = (chunk: Chunk) => Promise<void> | undefined

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
        await output.start({ structured: false })
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

/** A call as it is left, with the answer that a processor gave in the tool's place, if so. */
interface DecidedCall {
  call: ToolCall
  answer: Answer | undefined
}

/** Asks the processors about all calls, before any of them is given to the caller, who may execute those of a broken answer. */
async function decide(run: Run, step: Step, calls: readonly ToolCall[]): Promise<DecidedCall[]> {
  if (run.pipeline.processToolCall === null) return calls.map((call) => ({ call, answer: undefined }))
  const decided: DecidedCall[] = []
  for (const toolCall of calls) {
    const tool = ownTool(step.tools, toolCall.toolName) ?? UNKNOWN_TOOL
    const decision = await processToolCall(run, step, { toolCall, tool })
    const { inputError: _, ...rest } = toolCall
    if ('answer' in decision) decided.push({ call: toolCall, answer: decision.answer })
    else if (decision.input === toolCall.input) decided.push({ call: toolCall, answer: undefined })
    else decided.push({ call: { ...rest, input: decision.input }, answer: undefined })
  }
  return decided
}

/** Marks a call that a processor answered, and its answer: in a prompt they are a call of the model's own again. */
const ANSWERED = { providerMetadata: { millrace: { answered: true } } } as const

function endOf(run: Run, { state }: Step): PipelineAnswerEnd {
  const { halt, usage } = run.state
  const replaced = run.steps.some((step) => step.state.text !== step.state.streamedText)
  return {
    finishReason: halt ? 'stop' : state.finishReason,
    usage,
    response: state.response,
    halt,
    providerMetadata: state.providerMetadata,
    replacedText: replaced && !halt ? run.steps.map((step) => step.state.text).join('') : undefined,
  }
}
