import type { Message, MessageList, ProcessInputStepArgs, ProcessorArgs, SystemMessage } from '@millrace/core'
import { isRecord } from '@millrace/core'

/** What the adapted Codebolt objects of one run share. A run has one message list, so that is what tells runs apart. */
interface CodeboltRun {
  metadata: Record<string, unknown>
  sent: SentPrompt | undefined
  original: OriginalText | undefined
}

/** What the model was last sent, as far as it went at the adapter that stands last. */
interface SentPrompt {
  messages: readonly Message[]
  systemMessages: readonly SystemMessage[]
  modelId: string
  settings: Pick<ProcessInputStepArgs, 'tools' | 'activeTools' | 'toolChoice' | 'modelSettings'>
}

/** The user's text before an adapted object changed it, and after. */
interface OriginalText {
  id: string
  text: string
  changed: string
}

export type RunArgs = Pick<ProcessorArgs, 'state' | 'requestContext'> & { messageList: MessageList }

const runs = new WeakMap<MessageList, CodeboltRun>()

/** The metadata is in `state` too: a run that is resumed has it again. */
export function codeboltRun({ messageList, state }: RunArgs): CodeboltRun {
  let run = runs.get(messageList)
  if (!run) {
    run = { metadata: isRecord(state.metadata) ? state.metadata : {}, sent: undefined, original: undefined }
    runs.set(messageList, run)
  }
  state.metadata = run.metadata
  return run
}

/** Keeps what a modifier left as metadata: the same object with another content, or another object. */
export function keepMetadata(args: RunArgs, metadata: unknown): void {
  if (!isRecord(metadata)) return
  codeboltRun(args).metadata = metadata
  args.state.metadata = metadata
}

/** Remembers what the model is about to be sent, so that what comes after the call can be shown it. */
export function noteSent(args: ProcessInputStepArgs): void {
  const { messages, systemMessages, tools, activeTools, toolChoice, modelSettings, model } = args
  const last = messages.at(-1)
  codeboltRun(args).sent = {
    // The last message may be the answer that this step continues.
    messages: last
      ? [...messages.slice(0, -1), { ...last, content: { ...last.content, parts: [...last.content.parts] } }]
      : [],
    systemMessages,
    modelId: model.modelId,
    settings: { tools, activeTools, toolChoice, modelSettings },
  }
}
