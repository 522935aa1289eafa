import type { ProcessInputStepArgs, ToolSet } from '@millrace/core'
import type { Inspector } from './inspector.ts'
import type { Seen } from './seen.ts'
import type { SurfaceMap } from './surface-map.ts'
import type { Task } from './task.ts'
import type { Treatment } from './treatment.ts'

/** Looks at the tools a model is about to get. */
export interface ToolInspection {
  /** The tools that are left; `undefined` where all are. */
  inspect(args: ProcessInputStepArgs): Task<ToolSet | undefined>
}

export interface SurfaceRunSettings {
  readonly inspector: Inspector
  readonly treatment: Treatment
  readonly surfaces: SurfaceMap
  /** Whether input that no input hook has shown to it is inspected before it is stored. */
  readonly redactsUnseen: boolean
  /** Which of this turn's messages are inspected. Default: `all`. */
  readonly inputScope?: 'last' | 'all'
  /** Default: tools are not looked at. */
  readonly tools?: ToolInspection | undefined
}

export interface StepStreamOptions {
  readonly settings: SurfaceRunSettings
  readonly seen: Seen
  /** Whether the answer is structured; `undefined` for a guard that sees the output only. */
  readonly structured: boolean | undefined
}
