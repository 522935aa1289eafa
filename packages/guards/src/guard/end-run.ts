import type { ControlArgs } from '@millrace/core'

/** The signals with which a guard can end the run. */
export type Control = Pick<ControlArgs, 'abort' | 'halt'>

/** The default answer of `halt`. */
const RESPONSE = "Sorry, I can't help with that."

export interface End {
  readonly strategy: string
  readonly reason: string
  readonly metadata: object
  /** The argument of a `response` that is a function. */
  readonly finding: unknown
  readonly response: string | ((finding: never) => string) | undefined
}

/** Ends the run: with an answer if the strategy is `halt`, else with a tripwire. */
export function endRun(
  control: Control,
  { strategy, reason, metadata, finding, response = RESPONSE }: End,
): never {
  if (strategy !== 'halt') return control.abort(reason, { metadata })
  return control.halt(typeof response === 'function' ? response(finding as never) : response, {
    reason,
    metadata,
  })
}
