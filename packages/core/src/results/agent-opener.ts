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

/** On the tool, so that copies and wrappers of it have it too. */
const AGENT = Symbol.for('millrace.agent')

export function withAgent<TOOL extends object>(tool: TOOL, agent: object): TOOL {
  return Object.assign(tool, { [AGENT]: agent })
}

/** The agent that a call of the tool runs, if it does. */
export function agentOf(tool: object): object | undefined {
  return (tool as { [AGENT]?: object })[AGENT]
}

/** In the options of `execute`, so that wrappers of a tool hand it on with them. */
const OPENER = Symbol.for('millrace.agent-opener')

export function withOpener<T extends object>(execution: T, opener: AgentOpener | undefined): T {
  return opener ? Object.assign(execution, { [OPENER]: opener }) : execution
}

/** `undefined` where agents run as they do by themselves. */
export function openerOf(execution: object): AgentOpener | undefined {
  return (execution as { [OPENER]?: AgentOpener })[OPENER]
}
