export { KeywordGuard, type KeywordGuardOptions } from './keyword-guard.ts'
