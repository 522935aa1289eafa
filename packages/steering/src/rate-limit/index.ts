export type { BudgetScope } from '../budget/account.ts'
export type { LimitReached, LimitStrategy } from '../budget/limit-reached.ts'
export { RateLimit, type RateLimitEvent, type RateLimitOptions, type RateLimitRule } from './rate-limit.ts'
