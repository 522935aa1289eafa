import type { ControlArgs } from '@millrace/core'

/** What a hook can end the run with. */
export type Control = Pick<ControlArgs, 'abort' | 'halt'>

/** What `halt` answers by default. */
const RESPONSE = "Sorry, I can't help with that."

export interface End {
  readonly strategy: string
  readonly reason: string
  readonly metadata: object
  /** Given to a `response` that is a function. */
  readonly finding: unknown
  readonly response: string | ((finding: never) => string) | undefined
}

/** Ends the run: with an answer where the strategy is to halt, else with a tripwire. */
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
