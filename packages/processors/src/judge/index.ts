export { type JudgeOptions, judge } from './judge.ts'
export { JudgeGuard, type JudgeGuardOptions } from './judge-guard.ts'
export type { Check, Judgement, OnFailure, Verdict } from './verdict.ts'
export {
  type JudgementEvent,
  WindowGuard,
  type WindowGuardOptions,
  type WindowOptions,
} from './window-guard.ts'
