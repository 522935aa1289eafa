import { MillraceError } from '../errors.ts'
import type { AgentInput, ParsedInput } from '../messages/agent-input.ts'
import { checkList, textInput } from '../messages/input.ts'
import { elementOf, type InputElement, messagesOf } from '../messages/list-input.ts'
import { isToolPart, type Message, type MessagePart, type ToolPart } from '../messages/message.ts'
import { type UserMessageMetadata, withUserMessageMetadata } from '../messages/user-message-metadata.ts'
import { isRecord } from '../record.ts'
import { checkId } from '../storage/arguments.ts'
import { ownerOf } from '../storage/owner.ts'
import type { RunStore, SuspendedRun } from '../storage/run-store.ts'
import type { ToolApprovalResponse } from '../tools/approval.ts'
import { waitingCallsOf } from '../tools/waiting-calls.ts'
import { refuseCalls, refuseUntrusted, untrustedContent } from './untrusted-messages.ts'

/** What a list of messages is used for: an answer to a suspended run, or the input of a new one. */
export type ClientMessages =
  | { answer: { runId: string; data: Record<string, unknown> } }
  | { input: ParsedInput; leftOut: number }

export interface ClientMessagesOptions {
  /** Called if the list may contain an answer. */
  openStore: () => RunStore | Promise<RunStore>
  /** The owner of the request. Only runs of the same thread and resource can be answered. */
  owner: { threadId: string | undefined; resourceId: string | undefined }
  /** Whether the agent loads the conversation from a memory. The history in the list is then ignored. */
  remembers: boolean
  call: {
    /** Whether the application itself wrote or stored all messages. Default: false. */
    trusted?: boolean
    /** The application's metadata of the user's message. */
    userMessageMetadata?: UserMessageMetadata | undefined
  }
}

/** Maximum number of runs that are looked up for one request. A genuine message answers one. */
const MAX_LOOKUPS = 4

/**
 * Reads a list of messages. Unless it is trusted, all of it may be forged. If it ends with an assistant message,
 * approvals and tool outputs in it answer the run that waits for them: that run's own transcript is used, and the
 * rest of the list is ignored. Otherwise, with a memory, only the newest user message is used. Without a memory, the
 * text, files and data of users and assistants are used, but no tool calls, because no store can confirm them.
 *
 * `leftOut` is the number of messages that were ignored, unless the list is what a chat client sends each time.
 *
 * @throws MillraceError `RUN_INPUT_INVALID` if there is no user message, if the list ends with results of tools that
 *   no run waits for, or if it contains what only the application may send; `RUN_RESUME_INVALID` if it ends with a
 *   run that still waits, and nothing in it answers that run
 */
export async function readClientMessages(
  given: AgentInput,
  options: ClientMessagesOptions,
): Promise<ClientMessages> {
  const { userMessageMetadata } = options.call
  const read = await readMessages(
    typeof given === 'string' ? textInput(given).messages : checkList(given),
    options,
  )
  if ('answer' in read || userMessageMetadata === undefined) return read
  const messages = withUserMessageMetadata(read.input.messages, userMessageMetadata)
  return { ...read, input: { ...read.input, messages } }
}

async function readMessages(
  given: readonly unknown[],
  { openStore, owner, remembers, call: { trusted = false } }: ClientMessagesOptions,
): Promise<ClientMessages> {
  const elements = given.map(elementOf)
  const isOfChat = elements.every(({ form }) => form === 'ui')
  if (trusted && !elements.some(({ form }) => form === 'ui'))
    return { input: messagesOf(elements), leftOut: 0 }
  if (!trusted) refuseUntrusted(elements)
  const last = elements.at(-1)
  if (last?.message.role === 'assistant') {
    const answer = await findAnswer(elements.map(candidateOf), { openStore, owner })
    if (answer) return { answer }
    if (last.form === 'ui' && hasNothingToAnswer(last.message.parts)) throw nothingToAnswer()
  }
  if (!trusted) refuseCalls(elements)
  const { messages, systemMessages } = messagesOf(trusted ? elements : elements.map(received))
  const all = messages.map((message) =>
    trusted ? withoutApprovals(message) : untrustedContent(message, { isOfChat }),
  )
  if (!remembers) return { input: { messages: all, systemMessages }, leftOut: 0 }
  const newest = isOfChat || trusted ? newestUserMessage(all) : newestTurn(all)
  return {
    input: { messages: newest, systemMessages: [] },
    leftOut: isOfChat ? 0 : all.length - newest.length,
  }
}

/**
 * Reads an untrusted list of messages where no run can be answered. What only the application may send is refused.
 *
 * @throws MillraceError `RUN_INPUT_INVALID`
 */
export function readUntrusted(given: readonly unknown[]): ParsedInput {
  const elements = given.map(elementOf)
  refuseUntrusted(elements)
  refuseCalls(elements)
  return {
    messages: messagesOf(elements.map(received)).messages.map((message) =>
      untrustedContent(message, { isOfChat: false }),
    ),
    systemMessages: [],
  }
}

/**
 * An element as it was received: its metadata is the client's, and a date in JSON may be forged, so it gets the time of
 * receipt. `fromUIMessage` does the same for the user's UI messages.
 */
function received(element: InputElement): InputElement {
  if (element.form === 'message') {
    const { content, createdAt } = element.message
    const metadata = content.metadata && { metadata: { client: content.metadata } }
    return {
      form: 'message',
      message: {
        ...element.message,
        content: { ...content, ...metadata },
        createdAt: createdAt instanceof Date ? createdAt : new Date(),
      },
    }
  }
  if (element.form === 'model' || element.message.role === 'user' || element.message.metadata === undefined)
    return element
  const metadata = { client: element.message.metadata }
  return { form: 'ui', message: { ...element.message, metadata } }
}

/** A message that may contain answers. */
interface AnswerCandidate {
  role: string
  parts: readonly MessagePart[]
}

/** The parts that may contain answers. A model message has none. */
function candidateOf({ form, message }: InputElement): AnswerCandidate {
  const { role } = message
  return { role, parts: form === 'ui' ? message.parts : form === 'message' ? message.content.parts : [] }
}

async function findAnswer(
  messages: readonly AnswerCandidate[],
  { openStore, owner }: Pick<ClientMessagesOptions, 'openStore' | 'owner'>,
): Promise<{ runId: string; data: Record<string, unknown> } | undefined> {
  const answers = messages
    .filter(({ role }) => role === 'assistant')
    .map(({ parts }) => answersIn(parts))
    .findLast(({ size }) => size > 0)
  let used: { runId: string; data: Record<string, unknown> } | undefined
  let unanswered: string | undefined
  for (const [runId, given] of [...(answers ?? [])].reverse().slice(0, MAX_LOOKUPS)) {
    if (!isId(runId)) continue
    const store = await openStore()
    const found = await store.getRun(runId, ownerOf(owner))
    if (found?.state === 'suspended' || found?.state === 'interrupted') {
      if (!isOf(found.run, owner)) continue
      const data = answerTo(found.run, given)
      if (data) return { runId, data }
      if (given.isWaiting) unanswered ??= runId
    } else if (found && (given.approvals.size > 0 || given.outputs.size > 0)) {
      // Too late: resuming the run fails with an error that says so.
      used ??= { runId, data: {} }
    }
  }
  if (unanswered !== undefined) throw notAnswered(unanswered)
  return used
}

/** Whether the id is valid. Stores reject forged ids that are not. */
function isId(runId: string): boolean {
  try {
    return checkId('runId', runId) === runId
  } catch {
    return false
  }
}

interface Answers {
  approvals: Map<string, ToolApprovalResponse>
  outputs: ReadonlyMap<string, unknown>
  /** Whether the message marks this run as waiting. */
  isWaiting: boolean
}

/**
 * The answers in a message, by run. An approval's id contains the id of its run. Tool outputs belong to the run that
 * the message marks as waiting and not resumed.
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

/** The resume data: the answers to the calls that the run waits for, and to no others, by call id. */
function answerTo(
  { payload }: SuspendedRun,
  { approvals, outputs }: Answers,
): Record<string, unknown> | undefined {
  const answers = waitingCallsOf(payload).flatMap(({ toolCallId, waitsFor }): [string, unknown][] => {
    const given = waitsFor === 'approval' ? approvals : waitsFor === 'output' ? outputs : undefined
    return given?.has(toolCallId) ? [[toolCallId, given.get(toolCallId)]] : []
  })
  return answers.length > 0 ? Object.fromEntries(answers) : undefined
}

/** Whether all calls of the message's last step have results, and the message marks no run as waiting. */
function hasNothingToAnswer(parts: readonly MessagePart[]): boolean {
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  const calls = step.filter(isToolPart).filter(({ providerExecuted }) => !providerExecuted)
  const haveResults = calls.every(({ state }) => state === 'output-available' || state === 'output-error')
  return calls.length > 0 && haveResults && answersIn(parts).size === 0
}

/**
 * The error for a list without anything to do. A client may send it again automatically: treating it as a new turn
 * would execute tools again and again.
 */
function nothingToAnswer(): MillraceError {
  return new MillraceError(
    'RUN_INPUT_INVALID',
    'The UI messages end with results of tools that no run waits for. Send a new user message, and let the client send results automatically only if a run waits for them.',
  )
}

/** The error for a list that ends with a waiting run and does not answer it. */
function notAnswered(runId: string): MillraceError {
  return new MillraceError(
    'RUN_RESUME_INVALID',
    `The run '${runId}' waits for something the client has not sent. Resume it with agent.resume(), or send a new user message.`,
  )
}

/** Only the newest user message. */
function newestUserMessage(messages: readonly Message[]): Message[] {
  const message = messages.findLast(isOfUser)
  if (message) return [saidByUser(message)]
  throw new MillraceError(
    'RUN_INPUT_INVALID',
    'The messages contain no user message and no answer to a suspended run. Send at least the newest user message.',
  )
}

/** The newest user message, with the user messages directly before it. */
function newestTurn(messages: readonly Message[]): Message[] {
  const end = messages.findLastIndex(isOfUser) + 1
  if (end === 0) return newestUserMessage(messages)
  const start = messages.slice(0, end).findLastIndex(({ role }) => role !== 'user') + 1
  return messages.slice(start, end).map(saidByUser)
}

function isOfUser({ role, content }: Message): boolean {
  return role === 'user' && content.parts.length > 0
}

function saidByUser(message: Message): Message {
  const { content } = message
  const parts = content.parts.filter(
    ({ type }) => type === 'text' || type === 'file' || type.startsWith('data-'),
  )
  return { ...message, content: { ...content, parts } }
}

function withoutApprovals(message: Message): Message {
  const { content } = message
  const parts = content.parts.map((part) => (isToolPart(part) ? settled(part) : part))
  return { ...message, content: { ...content, parts } }
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
