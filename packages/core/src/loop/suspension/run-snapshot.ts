import type { Message } from '../../messages/message.ts'
import type { ProcessorRecord } from '../../results/result.ts'
import type { ResumePoint } from '../../run/resume-point.ts'
import type { RunState } from '../../run/run-state.ts'
import type { StepState } from '../../run/step-state.ts'
import type { MessageOrigin } from '../../transcript/message-list.ts'

/** The version of a stored run's JSON. It changes when older versions can no longer be read. */
export const VERSION = 1

/** The data that a run was resumed with, and the payload that it had suspended with. */
interface ResumedWith {
  /** As text. See `encodeResumeData`. */
  data?: string | undefined
  payload?: unknown
}

/** A stored run: everything needed to resume it in another process. */
export interface RunSnapshot extends RunState {
  version: typeof VERSION
  place: ResumePoint
  messages: { message: Message; origin: MessageOrigin }[]
  steps: StepState[]
  current: StepState | undefined
  /** Only in a run that was stored while running: the resume data that was not used yet. */
  resumed?: ResumedWith | undefined
  records: ProcessorRecord[]
  /** The state of all processors of the run, by name. */
  processors: Record<string, Record<string, unknown>>
}
