import type { Run } from '../../run/run.ts'
import { Suspend } from '../../signals.ts'
import type { Answer } from '../../tools/decision.ts'

/** How a call ended, as it stands in the journal. */
export type CallOutcome = (
  | { answer: Answer; isReviewed: boolean }
  /** The tool waits for something. */
  | { suspended: { payload?: unknown } }
) & {
  /** The state of the processors that saw the outcome, by name: what they keep of it goes with it. */
  processors?: Record<string, Record<string, unknown>>
}

export function toCallOutcome(
  run: Run,
  outcome: Answer | Suspend,
  { isReviewed }: { isReviewed: boolean },
): CallOutcome {
  const { processExecution, processToolResult, names } = run.pipeline
  const processors = [...new Set([...(processExecution ?? []), ...(processToolResult ?? [])])]
  const states = Object.fromEntries(
    processors.map((processor) => [names.get(processor) ?? processor.id, run.gate(processor).state]),
  )
  return {
    ...(Suspend.isInstance(outcome)
      ? { suspended: { payload: outcome.payload } }
      : { answer: outcome, isReviewed }),
    ...(processors.length > 0 && { processors: states }),
  }
}
