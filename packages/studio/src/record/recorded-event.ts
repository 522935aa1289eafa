import type { AgentEventName, AgentEvents, RunEvent, RunResult, SuspensionInfo } from '@millrace/core'
import { boundedCopy } from './bounded-copy.ts'

/** The recorded fields of every event, except the ids of its run. */
interface RecordedFields {
  'run-finish': { result: RecordedResult }
}

/** The recorded fields of a result. Its messages are in the steps. */
export type RecordedResult = Pick<
  RunResult,
  'status' | 'text' | 'reasoningText' | 'object' | 'usage' | 'finishReason' | 'rejection' | 'halt'
> & {
  steps: RecordedStep[]
  warnings: unknown[]
  suspension?: SuspensionInfo
  abortReason?: string
}

type RecordedStep = Pick<
  RunResult['steps'][number],
  | 'stepNumber'
  | 'agentName'
  | 'text'
  | 'reasoningText'
  | 'toolCalls'
  | 'toolResults'
  | 'finishReason'
  | 'usage'
  | 'durationMs'
  | 'discarded'
>

/** An event of a run, as it is stored. */
export type RecordedEvent = {
  [NAME in AgentEventName]: { name: NAME; at: number } & (NAME extends keyof RecordedFields
    ? RecordedFields[NAME]
    : Omit<AgentEvents[NAME], keyof RunEvent>)
}[AgentEventName]

/** The stored form of an event: without ids, and bounded in size. */
export function toRecordedEvent(name: AgentEventName, event: RunEvent): RecordedEvent {
  const { runId: _, agentName: _name, threadId: _thread, resourceId: _resource, ...rest } = event
  if (name === 'run-finish') {
    const { result } = event as AgentEvents['run-finish']
    return { name, at: event.at, result: boundedCopy(reduced(result)) }
  }
  // Other events are bounded where they are emitted; error messages are not.
  if (name === 'run-error' || name === 'background-error')
    return boundedCopy({ name, ...rest }) as RecordedEvent
  return { name, ...rest } as RecordedEvent
}

function reduced(result: RunResult): RecordedResult {
  const { status, text, reasoningText, object, usage, finishReason, rejection, halt, suspension } = result
  return {
    status,
    text,
    reasoningText,
    object,
    usage,
    finishReason,
    rejection,
    halt,
    ...(suspension && { suspension }),
    ...(result.status === 'aborted' && { abortReason: reasonOf(result.abortReason) }),
    warnings: result.warnings,
    steps: result.steps.map((step) => ({
      stepNumber: step.stepNumber,
      ...(step.agentName !== undefined && { agentName: step.agentName }),
      text: step.text,
      reasoningText: step.reasoningText,
      toolCalls: step.toolCalls,
      toolResults: step.toolResults,
      finishReason: step.finishReason,
      usage: step.usage,
      durationMs: step.durationMs,
      discarded: step.discarded,
    })),
  }
}

function reasonOf(reason: unknown): string {
  if (typeof reason === 'string') return reason
  const { message } = (reason ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : 'The run was aborted.'
}
