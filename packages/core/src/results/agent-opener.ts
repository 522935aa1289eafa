import type { OpenRun } from './handoff-target.ts'

/** A call of an agent that is used as a tool. */
export interface AgentCall {
  /** The agent that is called. */
  agent: object
  /** The call in the outer run. */
  toolCallId: string
  /** The input of a new run: text or messages. */
  input: () => unknown
  /** The data for the agent's run, if it had suspended. */
  resume: { runId: string; data: unknown } | undefined
  /** The options of the agent's run. */
  options: object
}

/** Runs an agent for another one. Returns `undefined` to let the agent run as usual. */
export type AgentOpener = (call: AgentCall) => OpenRun | undefined

/** A property of the tool, so that copies and wrappers of the tool keep it. */
const AGENT = Symbol.for('millrace.agent')

export function withAgent<TOOL extends object>(tool: TOOL, agent: object): TOOL {
  return Object.assign(tool, { [AGENT]: agent })
}

/** The agent that the tool runs, if it is an agent. */
export function agentOf(tool: object): object | undefined {
  return (tool as { [AGENT]?: object })[AGENT]
}

/** A property of the options of `execute`, so that wrappers of a tool pass it on. */
const OPENER = Symbol.for('millrace.agent-opener')

export function withOpener<T extends object>(execution: T, opener: AgentOpener | undefined): T {
  return opener ? Object.assign(execution, { [OPENER]: opener }) : execution
}

/** `undefined` if agents run as usual. */
export function openerOf(execution: object): AgentOpener | undefined {
  return (execution as { [OPENER]?: AgentOpener })[OPENER]
}
