import type { LanguageModelV4FinishReason } from '@ai-sdk/provider'
import type { HookName } from '../hook-name.ts'

/** Why the model stopped, in the AI SDK's unified words. */
export type FinishReason = LanguageModelV4FinishReason['unified']

/**
 * How a run ended. `completed`: the model answered. `limit`: `maxSteps` was reached while the model still called
 * tools. `tripwire`: a processor aborted. `halted`: a processor answered in the model's place. `suspended`: the run
 * waits to be resumed. `aborted`: the caller's signal, a timeout, or a reader that left.
 */
export type RunStatus = 'completed' | 'limit' | 'tripwire' | 'halted' | 'suspended' | 'aborted'

/** Why an answer came to no end. `stopped`: as a run that is `aborted`. `failed`: the run rejected with an error. */
export type Incomplete = 'stopped' | 'failed'

/** What stopped a run that ended as `tripwire`. */
export interface Rejection {
  reason: string
  /** The processor that aborted; `undefined` if a tool threw the {@link TripWire} itself. */
  processorId: string | undefined
  hook: HookName | undefined
  metadata: unknown
  /** How often processors had asked for a retry before. */
  retryCount: number
}

/** Why a run ended as `halted`. */
export interface HaltInfo {
  reason: string | undefined
  processorId: string | undefined
  hook: HookName | undefined
  metadata: unknown
}

/** What a suspended run waits for. */
export interface SuspensionInfo {
  /** Names the run in its store, until it is resumed once. */
  runId: string
  /** What is waited for, as the tool or processor that suspended the run said. */
  payload: unknown
  /** The processor that suspended; `undefined` if a tool or its approval did. */
  processorId: string | undefined
  hook: HookName | undefined
  toolCallId: string | undefined
}

/** What the provider said about its response. */
export interface StepResponse {
  id?: string
  modelId?: string
  timestamp?: Date
  headers?: Record<string, string>
}
