import { isToolPart, type MessagePart, type ToolPart } from '../messages/message.ts'
import { isRecord } from '../record.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import type { Run } from '../run/run.ts'
import { shownMessages } from '../run/shown-messages.ts'
import type { Step } from '../run/step.ts'
import { approvalId } from '../tools/approval.ts'
import { partChunks } from './part-chunks.ts'
import { toolCallsOf } from './run-data-parts.ts'

/**
 * The chunks that recreate the message that a resumed run continues, with its id and as far as it was emitted. They
 * replace a `start` chunk without an id.
 */
export function openingChunks(
  run: Run,
  step: Step | undefined,
  { toolErrorText }: { toolErrorText: (text: string) => string },
): UIMessageChunk[] {
  const messages = run.messageList.get('response').filter(({ role }) => role === 'assistant')
  const parts = shownMessages(messages, step?.state).flatMap(({ content }) => content.parts)
  const messageId = messages[0]?.id ?? run.state.responseId
  const chunks: UIMessageChunk[] = [{ type: 'start', messageId }]
  let hasStep = false
  for (const [index, part] of parts.entries()) {
    if (part.type === 'step-start') {
      if (hasStep) chunks.push({ type: 'finish-step' })
      chunks.push({ type: 'start-step' })
      hasStep = true
    } else if (isToolPart(part) && isOpen(part)) chunks.push(...openCall(run, part))
    else chunks.push(...partChunks(part, { index, toolErrorText }))
  }
  return chunks
}

function isOpen({ state }: ToolPart): boolean {
  return !state.startsWith('output-')
}

/**
 * A call that was waited for. It is introduced as a failed call, so that a client does not execute it; its answer
 * follows.
 */
function openCall({ resumedFrom, resumption }: Run, part: ToolPart): UIMessageChunk[] {
  const { toolCallId } = part
  const introduced = partChunks({ ...part, state: 'output-error', errorText: '' } as MessagePart, {
    index: 0,
    toolErrorText: (text) => text,
  })
  const isWaiting = resumedFrom && toolCallsOf(resumedFrom).some((call) => call.toolCallId === toolCallId)
  if (!isWaiting || !isRecord(resumedFrom.payload) || resumedFrom.payload.type !== 'tool-approval')
    return introduced
  const id = approvalId(resumedFrom.runId, toolCallId)
  const asked: UIMessageChunk = { type: 'tool-approval-request', approvalId: id, toolCallId }
  return isApproved(resumption?.data, toolCallId)
    ? [...introduced, asked, { type: 'tool-approval-response', approvalId: id, approved: true }]
    : [...introduced, asked]
}

function isApproved(data: unknown, toolCallId: string): boolean {
  if (!isRecord(data)) return false
  if (typeof data.approved === 'boolean') return data.approved
  const own = Object.hasOwn(data, toolCallId) ? data[toolCallId] : undefined
  return isRecord(own) && own.approved === true
}
