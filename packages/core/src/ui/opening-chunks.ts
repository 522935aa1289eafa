import { isToolPart, type MessagePart, type ToolPart } from '../messages/message.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import type { CallRecord } from '../run/call-record.ts'
import type { Run } from '../run/run.ts'
import { shownMessages } from '../run/shown-messages.ts'
import type { Step } from '../run/step.ts'
import { partChunks } from './part-chunks.ts'
import { answerableCalls, approvalRequest } from './run-data-parts.ts'

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
    } else if (isToolPart(part) && isOpen(part)) chunks.push(...openCall(run, step, part))
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
function openCall(run: Run, step: Step | undefined, part: ToolPart): UIMessageChunk[] {
  const { toolCallId } = part
  const introduced = partChunks({ ...part, state: 'output-error', errorText: '' } as MessagePart, {
    index: 0,
    toolErrorText: (text) => text,
  })
  const { resumedFrom } = run
  const call = resumedFrom && answerableCalls(resumedFrom).find((one) => one.toolCallId === toolCallId)
  const asked = call && approvalRequest(resumedFrom.runId, call)
  if (!asked) return introduced
  const { approvalId } = asked
  return isApproved(step?.state.calls[toolCallId])
    ? [...introduced, asked, { type: 'tool-approval-response', approvalId, approved: true }]
    : [...introduced, asked]
}

function isApproved({ approval }: CallRecord = {}): boolean {
  return approval?.status === 'granted' || approval?.edited !== undefined
}
