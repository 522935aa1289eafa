import type { Message } from '../messages/message.ts'
import type { ProcessInputStepArgs } from '../processors/input-hooks.ts'

/** The settings of one model call after `processInputStep` and `prepareStep`. */
export type StepSettings = Pick<
  ProcessInputStepArgs,
  | 'systemMessages'
  | 'model'
  | 'tools'
  | 'activeTools'
  | 'toolChoice'
  | 'providerOptions'
  | 'modelSettings'
  | 'structuredOutput'
> & {
  /** The messages of this call, if they differ from the transcript. */
  messages: Message[] | undefined
}
