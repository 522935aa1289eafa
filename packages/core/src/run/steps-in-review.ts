import type { Run } from './run.ts'
import type { Step } from './step.ts'

/**
 * The steps of a run that has stopped which processors may still change in `processOutputStep`: those of this run in
 * its current step, or those of an agent that has the turn in what was relayed last.
 */
export function stepsInReview(run: Run, current: Step | undefined = run.current?.step): Step[] {
  const { handoff } = run.state
  if (handoff?.waiting) {
    const { relayed, waitsForReview } = handoff
    const last = relayed.filter(({ agentStep }) => agentStep === relayed.at(-1)?.agentStep)
    return waitsForReview ? run.steps.filter(({ number }) => last.some(({ step }) => step === number)) : []
  }
  const isOpen = current?.state.wrote && !current.state.reviewed && run.pipeline.processOutputStep !== null
  return isOpen ? [current] : []
}
