import { type OptionNames, requireOptions } from '@millrace/core'
import { JUDGE_OPTIONS, type JudgeOptions, judge } from './judge.ts'
import { WINDOW_OPTIONS, WindowGuard, type WindowOptions } from './window-guard.ts'

export interface JudgeGuardOptions extends WindowOptions, JudgeOptions {}

export const JUDGE_GUARD_OPTIONS: OptionNames<JudgeGuardOptions> = { ...WINDOW_OPTIONS, ...JUDGE_OPTIONS }

/** A guard by a model's judgement, as described in its instructions. Blocks by default. */
export class JudgeGuard extends WindowGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: JudgeGuardOptions) {
    const options = requireOptions('JudgeGuard', given, JUDGE_GUARD_OPTIONS)
    super({
      id: 'judge-guard',
      label: 'Something unwanted was',
      ...only<WindowOptions>(options, WINDOW_OPTIONS),
      check: judge(only<JudgeOptions>(options, JUDGE_OPTIONS)),
    })
  }
}

function only<OPTIONS>(options: OPTIONS, names: OptionNames<OPTIONS>): OPTIONS {
  const own = Object.entries(options as object).filter(([name]) => Object.hasOwn(names, name))
  return Object.fromEntries(own) as OPTIONS
}
