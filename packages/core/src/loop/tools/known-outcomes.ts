import { isToolPart, type MessagePart } from '../../messages/message.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Answer } from '../../tools/decision.ts'
import { ResponseWriter } from '../output/response-writer.ts'
import { answerChunk } from './answer-chunk.ts'

/** The known outcome of a call that was started and whose end is unknown. */
export const INTERRUPTED =
  'The call was interrupted: the run ended, or its process died, while the call was executed. It may or may not have been executed. Check before you call the tool again.'

/** The known outcome of a call that was executed and whose output is not stored. */
export const OUTPUT_LOST =
  'The call was executed, but its output is lost: the run ended, or its process died, before the output was reviewed. Check the result before you call the tool again.'

/**
 * The outcome of a call, as far as it may be stored: output that processors have not reviewed is left out. `undefined`
 * if the call was not executed.
 */
export function knownOutcome(
  { pipeline }: Run,
  { state, started }: Pick<Step, 'state' | 'started'>,
  { toolCallId }: { toolCallId: string },
): Answer | undefined {
  const { interrupted, outcome: answer, review } = state.calls[toolCallId] ?? {}
  if (!answer) {
    const end = interrupted ? interrupted.executed : started.get(toolCallId)
    if (!interrupted && end === undefined) return undefined
    return { status: 'error', error: end ? OUTPUT_LOST : INTERRUPTED }
  }
  if (pipeline.processToolResult === null || review === null) return answer
  return answer.status === 'denied' ? { status: 'denied' } : { status: 'error', error: OUTPUT_LOST }
}

/**
 * Writes the known outcomes of the step's calls into the transcript, where they are missing.
 *
 * @param options.live The step whose calls this process has started. Default: the step
 */
export function writeOutcomes(run: Run, step: Step, { live = step }: { live?: Step } = {}): void {
  const writer = new ResponseWriter(run, step)
  const known = { state: step.state, started: live.started }
  for (const call of ownCalls(step.state).slice(step.state.answered)) {
    const answer = knownOutcome(run, known, call)
    if (answer) writer.write(answerChunk(call, answer))
  }
}

/** Leaves of a step in the transcript only the calls that were executed, each with its known outcome. */
export function leaveCalls(run: Run, step: Step, options?: { live?: Step }): void {
  writeOutcomes(run, step, options)
  const writer = new ResponseWriter(run, step)
  const calls = writer.parts.filter(isFinishedCall)
  if (calls.length > 0) writer.replaceParts(calls)
  else writer.discard()
}

/** Whether the part is a call of one of the agent's own tools, with its outcome. */
export function isFinishedCall(part: MessagePart): boolean {
  if (!isToolPart(part) || part.providerExecuted) return false
  return part.state.startsWith('output-') && !('preliminary' in part && part.preliminary)
}
