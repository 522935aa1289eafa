import { isRecord } from '../record.ts'

/**
 * What an agent that is used as a tool has done so far: the preliminary results of its call, and, in the step of the outer
 * run, what is kept of its steps. Inputs and outputs of its tools are not part of it.
 */
export interface AgentProgress {
  type: 'agent-progress'
  agentName: string
  /** The agent's run, as its events and spans name it. */
  runId: string
  /** `running`, how its run ended, or `failed`. */
  status: 'running' | 'completed' | 'limit' | 'tripwire' | 'halted' | 'suspended' | 'aborted' | 'failed'
  steps: AgentProgressStep[]
}

/** A step of an agent that is used as a tool; its number is its position. */
export interface AgentProgressStep {
  /**
   * While the step is under way, up to the last word that is complete; where processors of the outer run look at what tools
   * give, empty until then.
   */
  text: string
  toolCalls: AgentProgressCall[]
}

export interface AgentProgressCall {
  toolCallId: string
  toolName: string
  status: 'running' | 'success' | 'error' | 'denied'
  /** Where the tool is an agent too, once it has ended. */
  agent?: AgentProgress
}

/** Whether a value has kept this form on its way through the processors. */
export function isAgentProgress(value: unknown): value is AgentProgress {
  return (
    isRecord(value) &&
    value.type === 'agent-progress' &&
    typeof value.agentName === 'string' &&
    typeof value.runId === 'string' &&
    typeof value.status === 'string' &&
    Array.isArray(value.steps) &&
    value.steps.every(isStep)
  )
}

function isStep(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.text === 'string' &&
    Array.isArray(value.toolCalls) &&
    value.toolCalls.every(isCall)
  )
}

function isCall(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { toolCallId, toolName, status } = value
  return [toolCallId, toolName, status].every((field) => typeof field === 'string')
}

/** Takes what an agent has done so far into the outer run. */
export interface ProgressReporter {
  /** What was reported before the call had suspended. */
  readonly earlier: AgentProgress | undefined
  /**
   * Processors look at what tools give: they get texts that are complete, and not each beginning of them, in which a match
   * may be cut off.
   */
  readonly wholeTexts: boolean
  /** Shows a report as a preliminary result of the call, once it has passed the processors. */
  report(progress: AgentProgress): Promise<void>
}

/** In the options of `execute`, so that wrappers of a tool hand it on with them. */
const REPORTER = Symbol.for('millrace.agent-progress')

export function withReporter<T extends object>(execution: T, reporter: ProgressReporter): T {
  return Object.assign(execution, { [REPORTER]: reporter })
}

/** `undefined` where the tool is not executed by the loop of an agent. */
export function reporterOf(execution: object): ProgressReporter | undefined {
  return (execution as { [REPORTER]?: ProgressReporter })[REPORTER]
}
