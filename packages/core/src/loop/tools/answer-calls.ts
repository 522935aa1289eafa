import { recordOf } from '../../run/call-record.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { Suspend } from '../../signals.ts'
import type { Answer } from '../../tools/decision.ts'
import type { ToolCall } from '../../tools/tool.ts'
import type { StepOutput } from '../output/step-output.ts'
import { answerChunk } from './answer-chunk.ts'
import type { Round } from './round.ts'

/** Passes the answers through the processors and into the transcript, in the order of the calls. */
export async function answerCalls(run: Run, step: Step, options: AnswerOptions): Promise<void> {
  const { round } = options
  try {
    await answerInOrder(run, step, options)
  } catch (error) {
    if (!Suspend.isInstance(error)) round.ended ??= error
    throw error
  }
}

export interface AnswerOptions {
  calls: readonly ToolCall[]
  answers: readonly Promise<Answer | Suspend>[]
  output: StepOutput
  round: Round
}

/**
 * Emits the answers in the order of the calls. If a call suspends, the other calls still finish and their answers
 * pass the processors: they must not run again when the run is resumed, and only reviewed answers are stored.
 */
async function answerInOrder(
  run: Run,
  step: Step,
  { calls, answers, output, round }: AnswerOptions,
): Promise<void> {
  const failed = answers.length > 1 ? firstFailure(answers) : undefined
  let waits: Suspend | undefined
  for (let index = step.state.answered; index < calls.length; index++) {
    const toolCall = calls[index] as ToolCall
    const executed = answers[index] as Promise<Answer | Suspend>
    const answer = await (failed ? Promise.race([executed, failed]) : executed)
    run.throwIfOver()
    const shown =
      Suspend.isInstance(answer) || round.review === undefined
        ? answer
        : await round.review(run, step, { toolCall, answer, preliminary: false }).catch(asSuspension)
    if (run.journal && round.review) {
      // If a processor suspends on an answer, the answer is stored as the processors before it left it.
      const { outcome: kept = answer, review: reviewer } = recordOf(step.state, toolCall.toolCallId)
      await run.journal.finishCall(toolCall, kept, { reviewer })
    }
    if (Suspend.isInstance(shown)) {
      shown.toolCallId ??= toolCall.toolCallId
      waits ??= shown
    } else if (waits === undefined) {
      await output.enqueue(answerChunk(toolCall, shown))
      step.state.answered = index + 1
    }
    round.queue?.markProcessed(index)
  }
  if (waits === undefined) return
  // A processor that has suspended on an answer asks for itself.
  if (waits.hook !== undefined) throw waits
  // Loaded on demand: most calls do not wait.
  const { suspensionOf } = await import('./calls-in-wait.ts')
  throw suspensionOf(run, step, 'execute')
}

/**
 * Rejects with the first failure. A signal in one tool ends the run at once; the rejections of the others must be
 * handled.
 */
function firstFailure(answers: readonly Promise<unknown>[]): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    for (const answer of answers) answer.catch(reject)
  })
  failed.catch(() => {})
  return failed
}

function asSuspension(error: unknown): Suspend {
  if (Suspend.isInstance(error)) return error
  throw error
}
