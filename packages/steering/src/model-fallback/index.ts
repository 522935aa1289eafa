export type { FailureReason } from './checked-model.ts'
export { type ModelFailure, ModelFallback, type ModelFallbackOptions } from './model-fallback.ts'
