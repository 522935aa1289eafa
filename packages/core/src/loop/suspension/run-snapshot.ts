import type { Message } from '../../messages/message.ts'
import type { ProcessorRecord } from '../../results/result.ts'
import type { ResumePoint } from '../../run/resume-point.ts'
import type { RunState } from '../../run/run-state.ts'
import type { StepState } from '../../run/step-state.ts'
import type { MessageOrigin } from '../../transcript/message-list.ts'

/** The version of the JSON a run is stored as. It changes when an older one can no longer be read. */
export const VERSION = 1

/** What a run was resumed with, and the payload it had suspended with. */
interface ResumedWith {
  /** As text: see `encodeResumeData`. */
  data?: string | undefined
  payload?: unknown
}

/** A stored run: all that is needed to resume it in another process. */
export interface RunSnapshot extends RunState {
  version: typeof VERSION
  place: ResumePoint
  messages: { message: Message; origin: MessageOrigin }[]
  steps: StepState[]
  current: StepState | undefined
  /** Of a run that was stored while it was under way: what it was resumed with, as far as it has yet to use it. */
  resumed?: ResumedWith | undefined
  records: ProcessorRecord[]
  /** All processors of the run by name, with their state. */
  processors: Record<string, Record<string, unknown>>
}
