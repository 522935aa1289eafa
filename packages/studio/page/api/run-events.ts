import type { ReaderEntry, RunDetail, RunEvents, StepView } from '../../src/wire.ts'
import type { StreamEvent } from './request.ts'

/** Applies an event to a run. Existing parts are replaced. */
export function applyRunEvent(
  run: RunDetail | undefined,
  event: StreamEvent<RunEvents>,
): RunDetail | undefined {
  if (event.name === 'run' || event.name === 'end') return event.data
  if (!run) return run
  switch (event.name) {
    case 'summary':
      return { ...run, ...event.data }
    case 'before':
      return { ...run, before: event.data }
    case 'after':
      return { ...run, after: event.data }
    case 'step':
      return { ...run, steps: withStep(run.steps, event.data) }
    case 'reader':
      return { ...run, reader: withEntries(run.reader, event.data) }
    default:
      return run
  }
}

function withStep(steps: readonly StepView[], step: StepView): StepView[] {
  const rest = steps.filter(({ stepNumber }) => stepNumber !== step.stepNumber)
  return [...rest, step].sort((one, other) => one.stepNumber - other.stepNumber)
}

/** Merges new reader entries into the known ones. An entry with a known number replaces it. */
export function withEntries(known: readonly ReaderEntry[], entries: readonly ReaderEntry[]): ReaderEntry[] {
  const bySeq = new Map([...known, ...entries].map((entry) => [entry.seq, entry]))
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq)
}
