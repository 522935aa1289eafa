export type { RegexRule } from '../regex-filter/regex-rule.ts'
export { KeywordGuard, type KeywordGuardOptions } from './keyword-guard.ts'
