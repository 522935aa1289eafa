import { HOOK_NAMES, HOOKS, type HookName, type HookWith } from '../hook-name.ts'

/**
 * A part of the loop in which a run can be suspended: a hook, the run of an agent that has the turn, the approval of
 * calls, or their execution.
 */
export type Phase = HookWith<'suspends', true> | 'handoff' | 'approval' | 'execute'

/** The phases that are not hooks, by the hook that follows them. */
const BEFORE_HOOKS: { readonly [HOOK in HookName]?: readonly Phase[] } = {
  processModelError: ['handoff'],
  processExecution: ['approval', 'execute'],
}

/** All phases, in the order in which a step reaches them. */
const PHASES: readonly Phase[] = HOOK_NAMES.flatMap((hook) => [
  ...(BEFORE_HOOKS[hook] ?? []),
  ...(suspends(hook) ? [hook] : []),
])

function suspends(hook: HookName): hook is HookWith<'suspends', true> {
  return HOOKS[hook].suspends
}

/** Where a run was suspended, and where it resumes. */
export interface ResumePoint {
  phase: Phase
  /** The processor's name in the pipeline; `undefined` in phases without processors. */
  processor: string | undefined
  toolCallId: string | undefined
}

export function isPhase<NAME>(name: NAME): name is NAME & Phase {
  return (PHASES as readonly unknown[]).includes(name)
}

/** Whether `phase` comes before the point within a step. A resumed run has then finished it. */
export function isBefore(phase: Phase, point: Pick<ResumePoint, 'phase'>): boolean {
  return PHASES.indexOf(phase) < PHASES.indexOf(point.phase)
}
