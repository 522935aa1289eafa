import type { ProcessorAction } from '@millrace/core'
import type { Outcome } from '../wire.ts'

const OUTCOMES: Readonly<Record<ProcessorAction, Outcome>> = {
  passed: 'passed',
  changed: 'changed',
  denied: 'blocked',
  retried: 'retried',
  suspended: 'suspended',
  halted: 'halted',
  aborted: 'blocked',
  failed: 'failed',
}

/** From the weakest to the strongest. */
const BY_STRENGTH: readonly Outcome[] = [
  'passed',
  'held',
  'changed',
  'skipped',
  'retried',
  'suspended',
  'halted',
  'blocked',
  'failed',
]

export function outcomeOf(action: ProcessorAction): Outcome {
  return OUTCOMES[action]
}

export function strongerOutcome(a: Outcome, b: Outcome): Outcome {
  return BY_STRENGTH.indexOf(a) > BY_STRENGTH.indexOf(b) ? a : b
}
