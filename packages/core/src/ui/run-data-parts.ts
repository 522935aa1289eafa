import type { ChunkOf } from '../results/chunk.ts'
import type { SuspensionInfo } from '../results/outcome.ts'
import type { RunDataParts, UIDataChunk, UIMessageChunk } from '../results/ui-message-chunk.ts'
import type { UIMessageStreamOptions } from '../results/ui-message-stream-options.ts'
import type { SuspendedRun } from '../storage/run-store.ts'
import { approvalId } from '../tools/approval.ts'
import type { ToolApprovalPayload, ToolOutputPayload } from '../tools/suspension-payload.ts'
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

/** The tool calls that a suspended run waits for. */
export function toolCallsOf({ payload }: Pick<SuspensionInfo, 'payload'>): ToolApprovalPayload['toolCalls'] {
  const { type, toolCalls } = (payload ?? {}) as Partial<ToolApprovalPayload | ToolOutputPayload>
  return (type === 'tool-approval' || type === 'tool-output') && Array.isArray(toolCalls) ? toolCalls : []
}

/** The approval requests for the client's user, with ids from which the run can be found. */
export function approvalRequests(
  suspension: SuspensionInfo,
): Extract<UIMessageChunk, { type: 'tool-approval-request' }>[] {
  const { type } = (suspension.payload ?? {}) as Partial<ToolApprovalPayload>
  if (type !== 'tool-approval') return []
  return toolCallsOf(suspension).map(({ toolCallId, reason }) => ({
    type: 'tool-approval-request',
    approvalId: approvalId(suspension.runId, toolCallId),
    toolCallId,
    ...defined({ reason }),
  }))
}
