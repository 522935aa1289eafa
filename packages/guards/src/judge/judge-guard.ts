import { type JudgeOptions, judge } from './judge.ts'
import { WindowGuard, type WindowOptions } from './window-guard.ts'

export interface JudgeGuardOptions extends WindowOptions, JudgeOptions {}

/** A guard by a model's judgement, as described in its instructions. Blocks by default. */
export class JudgeGuard extends WindowGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: JudgeGuardOptions) {
    super({ id: 'judge-guard', label: 'Something unwanted was', ...options, check: judge(options) })
  }
}
