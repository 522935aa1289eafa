/** The decision on a call: executed, or answered without executing anything. */
export type Decision =
  /** `input` is what the processors left, not yet validated. */
  | { kind: 'execute'; input: unknown; approval: Approval }
  /** The tool has no `execute`: its output comes from the client. */
  | { kind: 'client'; input: unknown; approval: Approval }
  | { kind: 'answer'; answer: Answer }

/** `open`: no approval was requested yet. `requested`: the run waits for it. */
type Approval = 'open' | 'requested' | 'granted'

/** How a call was answered. Every call is answered exactly once. */
export type Answer =
  | { status: 'success'; output?: unknown }
  | { status: 'error'; error: string }
  | { status: 'denied'; reason?: string }

/** The model is told that the call may not be executed. */
export function denial(reason: string | undefined): Decision {
  return { kind: 'answer', answer: { status: 'denied', ...(reason !== undefined && { reason }) } }
}

/** The call waits for approval. */
export function isRequested(
  decision: Decision | undefined,
): decision is Exclude<Decision, { kind: 'answer' }> {
  return decision !== undefined && decision.kind !== 'answer' && decision.approval === 'requested'
}
