export { agentStep } from './agent-step.ts'
export {
  type DurableAgent,
  type DurableOptions,
  type DurableRunFilter,
  durable,
  type StartOptions,
  type SuspendedDurableRun,
} from './durable.ts'
export type { DurableRun, DurableRunStatus, RunOwner } from './durable-run.ts'
export { type EncryptedSerializerOptions, encryptedSerializer } from './encrypted-serializer.ts'
export type { SuspensionInfo } from './live-run.ts'
export type { QueueOptions } from './queue.ts'
