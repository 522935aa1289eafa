import type { LanguageModelV4FinishReason } from '@ai-sdk/provider'
import type { HookName } from '../hook-name.ts'

/** Why the model stopped, as the AI SDK's unified finish reason. */
export type FinishReason = LanguageModelV4FinishReason['unified']

/**
 * How a run ended. `completed`: the model answered. `limit`: `maxSteps` was reached while the model was still calling
 * tools, or `stopWhen` before there was an answer of the output schema. `tripwire`: a processor aborted. `halted`: a
 * processor answered in the model's place. `suspended`: the run can be resumed. `aborted`: by the caller's signal, a
 * timeout, or a reader that left.
 */
export type RunStatus = 'completed' | 'limit' | 'tripwire' | 'halted' | 'suspended' | 'aborted'

/**
 * Why an answer is incomplete. `stopped`: the run was `aborted`. `failed`: the run rejected with an error. `blocked`:
 * a processor aborted it after tools had been called.
 */
export type Incomplete = 'stopped' | 'failed' | 'blocked'

/** Why a run ended as `tripwire`. */
export interface Rejection {
  reason: string
  /** The processor that aborted; `undefined` if a tool threw a {@link TripWire}. */
  processorId: string | undefined
  hook: HookName | undefined
  metadata: unknown
  /** Number of retries that processors had requested before. */
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
  /** The id of the run in its store, until it is resumed. */
  runId: string
  /** The payload that the tool or processor has passed to `suspend`. */
  payload: unknown
  /** The processor that suspended; `undefined` if a tool or its approval did. */
  processorId: string | undefined
  hook: HookName | undefined
  toolCallId: string | undefined
}

/** What the provider reported about its response. */
export interface StepResponse {
  id?: string
  modelId?: string
  timestamp?: Date
  headers?: Record<string, string>
}
