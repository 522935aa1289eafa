export type { BudgetScope } from '../budget/account.ts'
export type { LimitReached, LimitStrategy } from '../budget/limit-reached.ts'
export {
  CostGuard,
  type CostGuardEvent,
  type CostGuardOptions,
  type CostGuardWarningEvent,
} from './cost-guard.ts'
export type { CostLimit, CostUnit } from './cost-limit.ts'
export type { Price, Prices } from './price.ts'
export { requestTokens } from './request-tokens.ts'
