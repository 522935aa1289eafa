export { type GuardModelOptions, guardModel } from './guard-model.ts'
export { GuardRejection } from './guard-rejection.ts'
export { GuardSession } from './guard-session.ts'
export { type GuardToolsOptions, guardTools } from './guard-tools.ts'
