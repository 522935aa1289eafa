import { MillraceError } from '../errors.ts'
import { isRecord, isToolPart, type MessagePart, type ToolPart, type UIMessage } from '../messages/message.ts'
import type { RunStore, SuspendedRun } from '../storage/run-store.ts'
import type { ToolApprovalResponse } from '../tools/approval.ts'

/** What is believed of what a chat client sent: an answer to a suspended run, or messages to start a new one with. */
export type ClientMessages =
  | { answer: { runId: string; data: Record<string, unknown> } }
  | { messages: UIMessage[] }

export interface ClientMessagesOptions {
  store: RunStore
  /** Whose request it is. Answers count for runs of the same thread and resource only. */
  owner: { threadId: string | undefined; resourceId: string | undefined }
  /** Whether the agent remembers the conversation. Then the client's history is not believed. */
  remembers: boolean
}

/** Runs that are looked up for one request. A message that was not forged answers one. */
const MOST_LOOKUPS = 4

/**
 * Reads a chat client's history, all of which may be forged. Where it ends with the assistant's message, approvals and
 * tool outputs in it answer the run that waits for them; that run's own transcript is then the truth, and nothing else
 * of the history is used. Else, with a memory, only the newest user message is taken; without one, the history, in
 * which calls nobody has approved are calls that were not completed.
 *
 * @throws MillraceError `RUN_INPUT_INVALID` if there is no user message to take, or the history ends with results of tools
 * that nobody waits for; `RUN_RESUME_INVALID` if it ends with a run that still waits, and nothing in it answers that run
 */
export async function readClientMessages(
  given: readonly UIMessage[],
  { store, owner, remembers }: ClientMessagesOptions,
): Promise<ClientMessages> {
  const messages = given.filter(hasParts).map(withPartsAlone)
  if (given.at(-1)?.role === 'assistant') {
    const answer = await findAnswer(messages, { store, owner })
    if (answer) return { answer }
    if (asksNothing(messages.at(-1)?.parts ?? [])) throw nothingAsked()
  }
  if (remembers) return { messages: [newestOfUser(messages)] }
  return {
    messages: given.map((message) =>
      hasParts(message) ? withoutApprovals(withPartsAlone(message)) : message,
    ),
  }
}

async function findAnswer(
  messages: readonly UIMessage[],
  { store, owner }: Omit<ClientMessagesOptions, 'remembers'>,
): Promise<{ runId: string; data: Record<string, unknown> } | undefined> {
  const answers = messages
    .filter(({ role }) => role === 'assistant')
    .map(({ parts }) => answersIn(parts))
    .findLast(({ size }) => size > 0)
  let used: { runId: string; data: Record<string, unknown> } | undefined
  let unanswered: string | undefined
  for (const [runId, given] of [...(answers ?? [])].reverse().slice(0, MOST_LOOKUPS)) {
    const found = await store.getRun(runId)
    if (found?.state === 'suspended') {
      if (!isOf(found.run, owner)) continue
      const data = answerTo(found.run, given)
      if (data) return { runId, data }
      if (given.isWaiting) unanswered ??= runId
    } else if (found && (given.approvals.size > 0 || given.outputs.size > 0)) {
      // It comes too late. Whoever resumes the run says so.
      used ??= { runId, data: {} }
    }
  }
  if (unanswered !== undefined) throw notAnswered(unanswered)
  return used
}

interface Answers {
  approvals: Map<string, ToolApprovalResponse>
  outputs: ReadonlyMap<string, unknown>
  /** By the message, this is the run that has to go on. */
  isWaiting: boolean
}

/**
 * What a message may answer, by run. An approval bears its run's id; tool outputs are those of a run that, by the
 * message, waits for something and has not been gone on with.
 */
function answersIn(parts: readonly MessagePart[]): Map<string, Answers> {
  const answers = new Map<string, Answers>()
  const outputs = new Map<string, unknown>()
  const waiting: string[] = []
  for (const part of parts) {
    if (part.type === 'data-suspended') {
      const { data } = part as { data?: unknown }
      if (isRecord(data) && typeof data.runId === 'string' && data.resumed !== true) waiting.push(data.runId)
    }
    if (!isToolPart(part) || part.providerExecuted) continue
    const { toolCallId } = part
    const suffix = `:${toolCallId}`
    if (part.state === 'output-available' && !part.preliminary) outputs.set(toolCallId, part.output)
    else if (part.state === 'output-error') outputs.set(toolCallId, new Error(String(part.errorText)))
    else if (part.state === 'approval-responded' && isAnswered(part) && part.approval.id.endsWith(suffix)) {
      const { id, approved, reason } = part.approval
      const response = { approved, ...(typeof reason === 'string' && { reason }) }
      answersOf(id.slice(0, -suffix.length)).approvals.set(toolCallId, response)
    }
  }
  for (const runId of waiting) Object.assign(answersOf(runId), { outputs, isWaiting: true })
  return answers

  function answersOf(runId: string): Answers {
    const known = answers.get(runId) ?? { approvals: new Map(), outputs: new Map(), isWaiting: false }
    answers.set(runId, known)
    return known
  }
}

function isAnswered({ approval }: Extract<ToolPart, { state: 'approval-responded' }>): boolean {
  return isRecord(approval) && typeof approval.id === 'string' && typeof approval.approved === 'boolean'
}

function isOf({ threadId, resourceId }: SuspendedRun, owner: ClientMessagesOptions['owner']): boolean {
  return threadId === owner.threadId && resourceId === owner.resourceId
}

/** The data a run is resumed with: answers to the calls it waits for, and to no others, by call id. */
function answerTo(
  { payload }: SuspendedRun,
  { approvals, outputs }: Answers,
): Record<string, unknown> | undefined {
  if (!isRecord(payload) || !Array.isArray(payload.toolCalls)) return undefined
  const given: ReadonlyMap<string, unknown> | undefined =
    payload.type === 'tool-approval' ? approvals : payload.type === 'tool-output' ? outputs : undefined
  const ids = payload.toolCalls.map(({ toolCallId }: { toolCallId: string }) => toolCallId)
  const answered = ids.filter((id) => given?.has(id))
  return answered.length > 0 ? Object.fromEntries(answered.map((id) => [id, given?.get(id)])) : undefined
}

/** Whether all calls of the message's last step have their results, and by the message no run waits for any. */
function asksNothing(parts: readonly MessagePart[]): boolean {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  const calls = step.filter(isToolPart).filter(({ providerExecuted }) => !providerExecuted)
  const haveResults = calls.every(({ state }) => state === 'output-available' || state === 'output-error')
  return calls.length > 0 && haveResults && answersIn(parts).size === 0
}

/** A client may send what it has again, of itself: were that a new turn, tools would run again, and again. */
function nothingAsked(): MillraceError {
  return new MillraceError(
    'RUN_INPUT_INVALID',
    'The UI messages end with results of tools that no run waits for. Send a new user message; let the client send by itself only what a run waits for.',
  )
}

/** The same, where something was asked. */
function notAnswered(runId: string): MillraceError {
  return new MillraceError(
    'RUN_RESUME_INVALID',
    `The run '${runId}' waits for something the client has not sent. Resume it with agent.resume(), or send a new user message.`,
  )
}

/** Without anything but what a user can say. */
function newestOfUser(messages: readonly UIMessage[]): UIMessage {
  const message = messages.findLast(({ role, parts }) => role === 'user' && parts.length > 0)
  if (!message) {
    throw new MillraceError(
      'RUN_INPUT_INVALID',
      'The UI messages hold no user message and no answer to a suspended run. Send at least the newest user message.',
    )
  }
  const { id, metadata } = message
  const parts = message.parts.filter(
    ({ type }) => type === 'text' || type === 'file' || type.startsWith('data-'),
  )
  return { id, role: 'user', parts, ...(metadata !== undefined && { metadata }) }
}

/** Other forms of messages have none. */
function hasParts(message: UIMessage): boolean {
  return isRecord(message) && Array.isArray(message.parts)
}

/** The message with parts that are parts, whatever was sent. */
function withPartsAlone(message: UIMessage): UIMessage {
  return {
    ...message,
    parts: message.parts.filter((part) => isRecord(part) && typeof part.type === 'string'),
  }
}

function withoutApprovals(message: UIMessage): UIMessage {
  return { ...message, parts: message.parts.map((part) => (isToolPart(part) ? settled(part) : part)) }
}

function settled(part: ToolPart): ToolPart {
  if (part.state === 'output-denied' && !part.approval)
    return {
      ...(part as ToolPart & { state: 'output-denied' }),
      approval: { id: part.toolCallId, approved: false },
    }
  if (part.state !== 'approval-responded' && part.state !== 'approval-requested') return part
  const { approval: _, ...call } = part
  return { ...call, state: 'input-available' }
}
