import type { ProcessInputStepArgs, ToolSet } from '@millrace/core'
import type { Inspector } from './inspector.ts'
import type { SeenContent } from './seen-content.ts'
import type { SurfaceMap } from './surface-map.ts'
import type { Task } from './task.ts'
import type { Treatment } from './treatment.ts'

/** Checks the tool definitions before each model call. */
export interface ToolInspection {
  /** The tools that remain; `undefined` if all do. */
  inspect(args: ProcessInputStepArgs): Task<ToolSet | undefined>
}

export interface SurfaceRunSettings {
  readonly inspector: Inspector
  readonly treatment: Treatment
  readonly surfaces: SurfaceMap
  /** Whether input that the input hooks did not show to the guard is inspected before it is stored. */
  readonly redactsUnseen: boolean
  /** Which of this turn's messages are inspected. Default: `all`. */
  readonly inputScope?: 'last' | 'all'
  /** The surface of all that a request of another program has beside its messages. Default: it is not inspected. */
  readonly request?: string | undefined
  /** Default: tool definitions are not checked. */
  readonly tools?: ToolInspection | undefined
}

export interface StepStreamOptions {
  readonly settings: SurfaceRunSettings
  readonly seen: SeenContent
  /** Whether the answer is structured; `undefined` for a guard that checks the output only. */
  readonly structured: boolean | undefined
}
