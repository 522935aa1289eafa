/** The parts of the loop a run can be suspended in, in the order in which a step reaches them. */
const PHASES = [
  'processInput',
  'processInputStep',
  'wrapModelCall',
  'processModelError',
  'processOutputStep',
  'processToolCall',
  'approval',
  'execute',
  'processToolResult',
  'processToolResults',
  'processOutputResult',
] as const

export type Phase = (typeof PHASES)[number]

/** Where a run was suspended, and where it goes on. */
export interface Place {
  phase: Phase
  /** The processor's name in the pipeline; `undefined` in phases without processors. */
  processor: string | undefined
  toolCallId: string | undefined
}

export function isPhase<NAME>(name: NAME): name is NAME & Phase {
  return (PHASES as readonly unknown[]).includes(name)
}

/** Whether `phase` lies before the place in the course of a step: then a resumed run has it behind it. */
export function isBefore(phase: Phase, place: Place): boolean {
  return PHASES.indexOf(phase) < PHASES.indexOf(place.phase)
}
