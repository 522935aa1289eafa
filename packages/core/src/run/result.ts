import type { LanguageModelV4FinishReason, SharedV4Warning } from '@ai-sdk/provider'
import type { Message, ProviderMetadata } from '../messages/message.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { HookName } from '../processors/processor.ts'
import type { ToolCallOf, ToolChoice, ToolResultOf, ToolSet } from '../tools/tool.ts'
import type { Usage } from '../usage.ts'

/** Why the model stopped, in the AI SDK's unified words. */
export type FinishReason = LanguageModelV4FinishReason['unified']

/**
 * How a run ended. `completed`: the model answered. `limit`: `maxSteps` was reached while the model still called
 * tools. `tripwire`: a processor aborted. `aborted`: the caller's signal, a timeout, or a reader that left.
 */
export type RunStatus = 'completed' | 'limit' | 'tripwire' | 'aborted'

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

/** What a processor did in one hook: the calls of one step (or of the run, outside of steps) taken together. */
export interface ProcessorRecord {
  processorId: string
  hook: HookName
  /** The step, counted from 0; `undefined` for hooks outside of steps. */
  stepNumber: number | undefined
  /** The strongest thing it did, in this order: failed, aborted, retried, changed, passed. */
  action: ProcessorAction
  calls: number
  /** Milliseconds inside the hook, waiting included. Sampled for synchronous stream hooks. */
  durationMs: number
}

export type ProcessorAction = 'passed' | 'changed' | 'retried' | 'aborted' | 'failed'

/** An attempt at a step that a processor rejected. Its text is gone. */
export interface DiscardedAttempt {
  reason: string
  processorId: string | undefined
  usage: Usage
}

/** One call of the model and the tools it led to. */
export interface StepResult<TOOLS extends ToolSet = ToolSet> {
  stepNumber: number
  text: string
  reasoningText: string
  /** The calls as executed. The transcript keeps the model's own input. */
  toolCalls: ToolCallOf<TOOLS>[]
  toolResults: ToolResultOf<TOOLS>[]
  finishReason: FinishReason
  usage: Usage
  request: StepRequest
  response: StepResponse
  providerMetadata: ProviderMetadata | undefined
  durationMs: number
  /** Which processors took part in this step, and what they did. */
  processors: ProcessorRecord[]
  /** Attempts at this step that were rejected and run again. Their usage is part of the run's usage. */
  discarded: DiscardedAttempt[]
}

/** What was asked of the model, without the prompt. */
export interface StepRequest {
  provider: string
  modelId: string
  modelSettings: ModelSettings
  tools: string[]
  toolChoice: ToolChoice | undefined
  /** Messages in the prompt, system messages included. */
  messageCount: number
}

/** What the provider said about its response. */
export interface StepResponse {
  id?: string
  modelId?: string
  timestamp?: Date
  headers?: Record<string, string>
}

/** Something the run survived: a provider's warning, or a processor that was skipped. */
export type RunWarning =
  | { type: 'model'; warning: SharedV4Warning; stepNumber: number }
  | { type: 'processor-skipped'; processorId: string; hook: HookName; error: unknown }

interface RunResultBase<TOOLS extends ToolSet> {
  runId: string
  /** The text of the last step. Empty where the run was rejected. */
  text: string
  /** The reasoning of the last step, as far as the model shows it. */
  reasoningText: string
  /** The messages this run made, in order. */
  messages: Message[]
  steps: StepResult<TOOLS>[]
  /** Added up over all steps, discarded attempts included. */
  usage: Usage
  finishReason: FinishReason
  /** Every processor that took part, in order, hooks outside of steps included. */
  processors: ProcessorRecord[]
  warnings: RunWarning[]
}

/** How a run ended, and what it made. Outcomes are told apart by `status`; faults reject instead. */
export type RunResult<TOOLS extends ToolSet = ToolSet, OBJECT = undefined> = RunResultBase<TOOLS> &
  (
    | { status: 'completed'; tripwire: false; object: OBJECT; rejection?: undefined; abortReason?: undefined }
    | { status: 'limit'; tripwire: false; object?: undefined; rejection?: undefined; abortReason?: undefined }
    | {
        status: 'tripwire'
        tripwire: true
        object?: undefined
        rejection: Rejection
        abortReason?: undefined
      }
    | { status: 'aborted'; tripwire: false; object?: undefined; rejection?: undefined; abortReason: unknown }
  )
