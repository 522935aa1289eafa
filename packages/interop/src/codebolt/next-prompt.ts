import type { Message, ProcessInputStepArgs, ProcessInputStepResult, SystemMessage } from '@millrace/core'
import { setTranscript } from '../adapter/transcript.ts'
import { linesOf, type SourceLine } from '../lines/lines-of-messages.ts'
import { type EditedLine, rewrite } from '../lines/messages-of-lines.ts'
import { type ChatMessage, chatOf, readChat } from './chat-message.ts'
import { describeRequest } from './chat-request.ts'
import type { ProcessedMessage } from './codebolt-message.ts'
import { codeboltRun, keepMetadata, type RunArgs, recordSentPrompt } from './codebolt-run.ts'
import { recordSystemChanges, withSystemChanges } from './system-changes.ts'

/** The transcript as the prompt of the next call, prepared for a modifier. */
export interface OpenPrompt {
  known: readonly SourceLine[]
  handed: readonly ChatMessage[]
  systemMessages: readonly SystemMessage[]
  prompt: ProcessedMessage
}

type Args = RunArgs & { messages: readonly Message[]; systemMessages?: readonly SystemMessage[] }

export async function openNextPrompt(args: Args): Promise<OpenPrompt> {
  const { sent, metadata } = codeboltRun(args)
  const systemMessages = sent?.systemMessages ?? args.systemMessages ?? []
  const known = linesOf(args.messages, systemMessages)
  const handed = known.map(({ line }) => chatOf(line))
  const request = sent && (await describeRequest(sent.settings))
  return {
    known,
    handed,
    systemMessages,
    prompt: { message: { messages: [...handed], ...request, stream: true }, metadata },
  }
}

/** The prompt that was sent. In a run that was resumed since, the transcript up to the response. */
export async function sentPrompt(args: Args): Promise<ProcessedMessage> {
  const { sent, metadata } = codeboltRun(args)
  const messages = sent?.messages ?? args.messages.slice(0, -1)
  const systemMessages = sent?.systemMessages ?? args.systemMessages ?? []
  return {
    message: {
      messages: linesOf(messages, systemMessages).map(({ line }) => chatOf(line)),
      ...(sent && (await describeRequest(sent.settings))),
      stream: true,
    },
    metadata: { ...metadata },
  }
}

/** The next prompt as the modifier returned it. */
export function readNextPrompt(
  args: Args,
  { known, handed }: OpenPrompt,
  returned: ProcessedMessage,
): EditedLine[] {
  keepMetadata(args, returned.metadata)
  return readChat(known, handed, returned.message.messages)
}

/**
 * Writes edited lines to the transcript. System messages are not part of it: their changes are stored for the
 * following calls. Returns whether anything changed.
 */
export function writeNextPrompt(args: Args, open: OpenPrompt, edited: readonly EditedLine[]): boolean {
  const isAtInput = args.state.isAtInput === true
  const rewritten = rewrite(open.known, isAtInput ? edited : edited.map(withoutNewSystem))
  if (!rewritten.isChanged) return false
  recordSystemChanges(args.state, open.systemMessages, rewritten.systemMessages)
  setTranscript(args.messageList, rewritten)
  return true
}

/** An adapter in `outputProcessors` cannot add system messages, so a new one becomes a user message. */
function withoutNewSystem({ line, place }: EditedLine): EditedLine {
  return line.role === 'system' && place === undefined
    ? { line: { ...line, role: 'user' }, place }
    : { line, place }
}

/**
 * The `processInputStep` of adapters that run after the call: stores the request, and applies changes to
 * system messages.
 */
export function watchRequest(args: ProcessInputStepArgs): ProcessInputStepResult | undefined {
  args.state.isAtInput = true
  const systemMessages = withSystemChanges(args.state, args.systemMessages)
  recordSentPrompt(systemMessages ? { ...args, systemMessages } : args)
  return systemMessages && { systemMessages }
}
