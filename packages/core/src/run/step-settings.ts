import type { Message } from '../messages/message.ts'
import type { ProcessInputStepArgs } from '../processors/input-hooks.ts'

/** What one model call is made from, as `processInputStep` and `prepareStep` have left it. */
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
  /** The messages of this call, where they differ from the transcript. */
  messages: Message[] | undefined
}
