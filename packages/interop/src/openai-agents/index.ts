export type { GuardModelOptions } from '../ai-sdk/guard-model.ts'
export { GuardRejection } from '../ai-sdk/guard-rejection.ts'
export { GuardSession } from '../ai-sdk/guard-session.ts'
export type { GuardToolsOptions } from '../ai-sdk/guard-tools.ts'
export { type GuardedAgentsModel, guardModel, guardModelProvider } from './guard-model.ts'
export { guardTools } from './guard-tools.ts'
export {
  type GuardrailProcessorOptions,
  inputGuardrail,
  outputGuardrail,
  type ToolGuardrailProcessorOptions,
  toolInputGuardrail,
  toolOutputGuardrail,
} from './guardrail-processors.ts'
export {
  type AgentGuardrails,
  agentGuardrails,
  type GuardrailOptions,
  type ToolGuardrails,
  type TripInfo,
  toolGuardrails,
} from './guardrails.ts'
export type { ReviewOptions } from './review.ts'
export { guardSessionInput } from './session-input.ts'
