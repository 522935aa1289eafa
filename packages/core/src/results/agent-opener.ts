import type { OpenRun } from './handoff-target.ts'

/** A run of an agent that another one has called as a tool. */
export interface AgentCall {
  /** The agent that is called. */
  agent: object
  /** The call of the outer run. */
  toolCallId: string
  /** The input of a new run: text or messages. */
  input: () => unknown
  /** What the agent's run is resumed with, where it had suspended. */
  resume: { runId: string; data: unknown } | undefined
  /** Of the agent's run, as it would get them. */
  options: object
}

/** Runs an agent for another in a way of its own; `undefined` where it does not. */
export type AgentOpener = (call: AgentCall) => OpenRun | undefined

/** In the options of `execute`, so that wrappers of a tool hand it on with them. */
const OPENER = Symbol.for('millrace.agent-opener')

export function withOpener<T extends object>(execution: T, opener: AgentOpener | undefined): T {
  return opener ? Object.assign(execution, { [OPENER]: opener }) : execution
}

/** `undefined` where agents run as they do by themselves. */
export function openerOf(execution: object): AgentOpener | undefined {
  return (execution as { [OPENER]?: AgentOpener })[OPENER]
}
