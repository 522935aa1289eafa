/** The decision on a call: it is executed, or answered without execution. */
export type Decision =
  /** `input` is the input after the processors, not yet validated. */
  | { kind: 'execute'; input: unknown }
  /** The tool has no `execute`: the client provides the output. */
  | { kind: 'client'; input: unknown }
  | { kind: 'answer'; answer: Answer }

/** The answer to a call. Every call is answered exactly once. */
export type Answer =
  | { status: 'success'; output?: unknown }
  | { status: 'error'; error: string }
  | { status: 'denied'; reason?: string }

/** The decision to deny a call. The model sees the denial. */
export function denial(reason: string | undefined): Decision {
  return { kind: 'answer', answer: { status: 'denied', ...(reason !== undefined && { reason }) } }
}
