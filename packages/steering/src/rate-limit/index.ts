export type { BudgetScope } from '../budget/account.ts'
export type { LimitReached, LimitStrategy } from '../budget/denial.ts'
export { RateLimit, type RateLimitEvent, type RateLimitOptions, type RateLimitRule } from './rate-limit.ts'
