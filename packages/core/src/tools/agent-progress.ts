import { isRecord } from '../record.ts'

/**
 * The progress of an agent that is used as a tool: a preliminary result of its call, also stored in the outer run's
 * step. Does not contain inputs and outputs of its tools.
 */
export interface AgentProgress {
  type: 'agent-progress'
  agentName: string
  /** The id of the agent's run, as in its events and spans. */
  runId: string
  /** `running`, the status of the finished run, or `failed`. */
  status: 'running' | 'completed' | 'limit' | 'tripwire' | 'halted' | 'suspended' | 'aborted' | 'failed'
  steps: AgentProgressStep[]
}

/** A step of an agent that is used as a tool. Its number is its index. */
export interface AgentProgressStep {
  /**
   * While the step is running, the text up to the last complete word; or empty, if processors of the outer run
   * process tool results.
   */
  text: string
  toolCalls: AgentProgressCall[]
}

export interface AgentProgressCall {
  toolCallId: string
  toolName: string
  status: 'running' | 'success' | 'error' | 'denied'
  /** The progress of the tool if it is an agent too, after it has ended. */
  agent?: AgentProgress
}

/** Whether a value still is an `AgentProgress` after the processors. */
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

/** Reports an agent's progress to the outer run. */
export interface ProgressReporter {
  /** The last report before the call suspended. */
  readonly earlier: AgentProgress | undefined
  /**
   * Whether to report complete texts only, because processors process tool results: a match could be truncated in a
   * partial text.
   */
  readonly wholeTexts: boolean
  /** Emits a report as a preliminary result of the call, after the processors. */
  report(progress: AgentProgress): Promise<void>
}

/** A property of the options of `execute`, so that wrappers of a tool pass it on. */
const REPORTER = Symbol.for('millrace.agent-progress')

export function withReporter<T extends object>(execution: T, reporter: ProgressReporter): T {
  return Object.assign(execution, { [REPORTER]: reporter })
}

/** `undefined` if the tool is not executed by an agent. */
export function reporterOf(execution: object): ProgressReporter | undefined {
  return (execution as { [REPORTER]?: ProgressReporter })[REPORTER]
}
