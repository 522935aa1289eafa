import { type OptionNames, pickOptions, requireOptions } from '@millrace/core'
import { JUDGE_OPTIONS, type JudgeOptions, judge } from './judge.ts'
import { WINDOW_OPTIONS, WindowGuard, type WindowOptions } from './window-guard.ts'

export interface JudgeGuardOptions extends WindowOptions, JudgeOptions {}

const JUDGE_GUARD_OPTIONS: OptionNames<JudgeGuardOptions> = { ...WINDOW_OPTIONS, ...JUDGE_OPTIONS }

/** A guard by a model's judgement, as described in its instructions. Blocks by default. */
export class JudgeGuard extends WindowGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: JudgeGuardOptions) {
    const options = requireOptions('JudgeGuard', given, JUDGE_GUARD_OPTIONS)
    super({
      id: 'judge-guard',
      label: 'Something unwanted was',
      ...pickOptions<WindowOptions>(options, WINDOW_OPTIONS),
      check: judge(pickOptions<JudgeOptions>(options, JUDGE_OPTIONS)),
    })
  }
}
