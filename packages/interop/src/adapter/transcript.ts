import {
  type MessageList,
  type ProcessOutputStepArgs,
  type ProcessOutputStepResult,
  type ToolCall,
  type ToolPart,
  toolNameOf,
} from '@millrace/core'
import { isOwnCall } from '../lines/lines-of-messages.ts'
import type { Rewritten } from '../lines/messages-of-lines.ts'

/**
 * Replaces the transcript by rewritten messages. A new message belongs to this run only: at the end it is
 * part of the response, elsewhere it is context, which is not stored.
 */
export function setTranscript(messageList: MessageList, { messages, added }: Rewritten): void {
  addNew(messageList, { messages, added })
  const systemMessages = messageList.get().filter(({ role }) => role === 'system')
  messageList.set([...systemMessages, ...messages])
}

/** Adds the new messages with their origin. The caller sets their order. */
export function addNew(
  messageList: MessageList,
  {
    messages,
    added,
    trailing = 'response',
  }: Pick<Rewritten, 'messages' | 'added'> & { trailing?: 'response' | 'context' },
): void {
  const lastKnown = messages.findLastIndex((message) => !added.has(message))
  for (const [index, message] of messages.entries()) {
    if (!added.has(message)) continue
    const original = added.get(message)
    const origin = original && messageList.originOf(original.id)
    messageList.add(message, origin ?? (index > lastKnown ? trailing : 'context'))
  }
}

/** The calls of the step as they are in the transcript. `undefined` if they are unchanged. */
function callsNow({ toolCalls, messageList }: ProcessOutputStepArgs): ToolCall[] | undefined {
  const parts = new Map(
    messageList
      .get()
      .flatMap(({ content }) =>
        content.parts.filter(isOwnCall).map((part) => [part.toolCallId, part] as const),
      ),
  )
  let isChanged = false
  const calls = toolCalls.flatMap((call) => {
    if (call.providerExecuted) return [call]
    const part = parts.get(call.toolCallId)
    if (part && part.input === call.input && toolNameOf(part) === call.toolName) return [call]
    isChanged = true
    return part ? [{ ...call, toolName: toolNameOf(part), input: part.input }] : []
  })
  const known = new Set(toolCalls.map(({ toolCallId }) => toolCallId))
  for (const part of openCalls(messageList)) {
    if (known.has(part.toolCallId)) continue
    // The loop rejects it: a processor cannot add calls for the model.
    isChanged = true
    calls.push({ toolCallId: part.toolCallId, toolName: toolNameOf(part), input: part.input })
  }
  return isChanged ? calls : undefined
}

/** Calls without a result in the last step. */
function openCalls(messageList: MessageList): ToolPart[] {
  const parts = messageList.get().findLast(({ role }) => role === 'assistant')?.content.parts ?? []
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  return step.filter(isOwnCall).filter(({ state }) => state === 'input-available')
}

/** The result of `processOutputStep` after the transcript was changed in place. */
export function reviewOf(args: ProcessOutputStepArgs): ProcessOutputStepResult {
  const toolCalls = callsNow(args)
  return toolCalls ? { toolCalls } : args.messageList
}
