import type { ChunkOf } from '../results/chunk.ts'
import type { SuspensionInfo } from '../results/outcome.ts'
import type { RunDataParts, UIDataChunk, UIMessageChunk } from '../results/ui-message-chunk.ts'
import type { UIMessageStreamOptions } from '../results/ui-message-stream-options.ts'
import type { SuspendedRun } from '../storage/run-store.ts'
import { approvalId } from '../tools/approval.ts'
import { type WaitingCall, waitingCallsOf } from '../tools/waiting-calls.ts'
import { defined } from './optional-fields.ts'

export function dataPart<NAME extends keyof RunDataParts>(name: NAME, data: RunDataParts[NAME]): UIDataChunk {
  return { type: `data-${name}`, data }
}

export function tripwirePart(
  { reason, processorId, hook, metadata }: ChunkOf<'tripwire'>,
  { sendProcessorMetadata }: UIMessageStreamOptions,
): UIDataChunk {
  const fields = defined({ processorId, hook, ...(sendProcessorMetadata && { metadata }) })
  return dataPart('tripwire', { reason, ...fields })
}

export function haltPart(
  { reason, processorId, hook, metadata }: ChunkOf<'halt'>,
  { sendProcessorMetadata }: UIMessageStreamOptions,
): UIDataChunk {
  return dataPart('halt', defined({ reason, processorId, hook, ...(sendProcessorMetadata && { metadata }) }))
}

export function suspendedPart(
  { runId, payload, processorId, hook, toolCallId }: SuspensionInfo | SuspendedRun,
  { resumed }: { resumed?: true } = {},
): UIDataChunk {
  const data = { runId, payload, ...defined({ processorId, hook, toolCallId, resumed }) }
  return { ...dataPart('suspended', data), id: runId }
}

/** The calls that a client can answer: approvals and outputs, of calls that it has. */
export function answerableCalls({ payload }: Pick<SuspensionInfo, 'payload'>): WaitingCall[] {
  return waitingCallsOf(payload).filter(
    ({ waitsFor, agentName }) =>
      agentName === undefined && (waitsFor === 'approval' || waitsFor === 'output'),
  )
}

/** The approval request for the client's user, with an id from which the run can be found. */
export function approvalRequest(
  runId: string,
  { toolCallId, ...call }: WaitingCall,
): Extract<UIMessageChunk, { type: 'tool-approval-request' }> | undefined {
  if (call.waitsFor !== 'approval') return undefined
  return {
    type: 'tool-approval-request',
    approvalId: approvalId(runId, toolCallId),
    toolCallId,
    ...defined({ reason: call.reason }),
  }
}
