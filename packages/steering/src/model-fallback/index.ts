export { type ModelFailure, ModelFallback, type ModelFallbackOptions } from './model-fallback.ts'
export type { FailureReason } from './watched-model.ts'
