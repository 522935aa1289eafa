import {
  isRecord,
  type Message,
  type MessageList,
  PerRun,
  type ProcessInputStepArgs,
  type ProcessorArgs,
  type SystemMessage,
} from '@millrace/core'

/** State shared by the adapted Codebolt objects of one run. Runs are identified by their message list. */
interface CodeboltRun {
  metadata: Record<string, unknown>
  sent: SentPrompt | undefined
  original: OriginalText | undefined
}

/** The last prompt sent to the model, as the last adapter in the list saw it. */
interface SentPrompt {
  messages: readonly Message[]
  systemMessages: readonly SystemMessage[]
  modelId: string
  settings: Pick<ProcessInputStepArgs, 'tools' | 'activeTools' | 'toolChoice' | 'modelSettings'>
}

/** The user's text before and after an adapted object changed it. */
interface OriginalText {
  id: string
  text: string
  changed: string
}

export type RunArgs = Pick<ProcessorArgs, 'state' | 'requestContext'> & { messageList: MessageList }

const runs = new PerRun<CodeboltRun>()

/** The metadata is also in `state`, so that a resumed run has it again. */
export function codeboltRun({ messageList, state }: RunArgs): CodeboltRun {
  let run = runs.get(messageList)
  if (!run) {
    run = { metadata: isRecord(state.metadata) ? state.metadata : {}, sent: undefined, original: undefined }
    runs.set(messageList, run)
  }
  state.metadata = run.metadata
  return run
}

/** Stores the metadata that a modifier returned: the same object with other content, or another object. */
export function keepMetadata(args: RunArgs, metadata: unknown): void {
  if (!isRecord(metadata)) return
  codeboltRun(args).metadata = metadata
  args.state.metadata = metadata
}

/** Stores the prompt that is about to be sent, for objects that run after the call. */
export function recordSentPrompt(args: ProcessInputStepArgs): void {
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
