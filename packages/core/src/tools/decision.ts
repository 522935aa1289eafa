/** The decision on a call: it is executed, or answered without execution. */
export type Decision =
  /** `input` is the input after the processors, not yet validated. */
  | { kind: 'execute'; input: unknown; approval: Approval }
  /** The tool has no `execute`: the client provides the output. */
  | { kind: 'client'; input: unknown; approval: Approval }
  | { kind: 'answer'; answer: Answer }

/** `open`: no approval was requested yet. `requested`: the run waits for it. */
type Approval = 'open' | 'requested' | 'granted'

/** The answer to a call. Every call is answered exactly once. */
export type Answer =
  | { status: 'success'; output?: unknown }
  | { status: 'error'; error: string }
  | { status: 'denied'; reason?: string }

/** The decision to deny a call. The model sees the denial. */
export function denial(reason: string | undefined): Decision {
  return { kind: 'answer', answer: { status: 'denied', ...(reason !== undefined && { reason }) } }
}

/** Whether the call waits for approval. */
export function isRequested(
  decision: Decision | undefined,
): decision is Exclude<Decision, { kind: 'answer' }> {
  return decision !== undefined && decision.kind !== 'answer' && decision.approval === 'requested'
}
