import type { SharedV4Warning } from '@ai-sdk/provider'
import type { HookName } from '../hook-name.ts'
import type { Message, ProviderMetadata } from '../messages/message.ts'
import type { HistoryRuleName } from '../model/history/history-rules.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { ToolCallOf, ToolChoice, ToolResultOf, ToolSet } from '../tools/tool.ts'
import type { Usage } from '../usage.ts'
import type { FinishReason, HaltInfo, Rejection, RunStatus, StepResponse, SuspensionInfo } from './outcome.ts'
import type { RunHandle } from './run-handle.ts'

/** A suspended run, with methods to resume or release it. */
export interface Suspension<RESULT extends RunResult = RunResult> extends SuspensionInfo {
  /** Resumes the run with the same options. See `agent.resume`. */
  resume(data?: unknown): RunHandle<RESULT>
  /** Releases the run. Returns whether it could have been resumed. */
  release(): Promise<boolean>
}

/** What a processor did in one hook: all calls in a step, or in the run for hooks outside of steps. */
export interface ProcessorRecord {
  processorId: string
  hook: HookName
  /** The step, from 0; `undefined` for hooks outside of steps. */
  stepNumber: number | undefined
  /** The strongest action: the last one in the order of the type. */
  action: ProcessorAction
  calls: number
  /** Time in the hook in milliseconds, including waiting. Sampled for synchronous stream hooks. */
  durationMs: number
  /** The usage of model calls that the processor reported, by model. Not part of the run's `usage`. */
  modelUsage?: ModelUsage[]
}

/** The calls of one model with their total usage. */
export interface ModelUsage {
  /** Empty if the model was reported by id. */
  provider: string
  modelId: string
  calls: number
  usage: Usage
}

export type ProcessorAction =
  | 'passed'
  | 'changed'
  | 'denied'
  | 'retried'
  | 'suspended'
  | 'halted'
  | 'aborted'
  | 'failed'

/** An attempt at a step that a processor rejected. Its text is not kept. */
export interface DiscardedAttempt {
  reason: string
  processorId: string | undefined
  usage: Usage
}

/** One model call and the tools that it called. */
export type StepResult<TOOLS extends ToolSet = ToolSet> = StepResultOf<ToolCallOf<TOOLS>, ToolResultOf<TOOLS>>

/**
 * Parameterized by calls and not by tools, so that an agent with certain tools is assignable to an agent with any
 * tools.
 */
interface StepResultOf<CALL, RESULT> {
  stepNumber: number
  /** The agent that wrote the step, if the turn was handed off to it. `request` is then empty. */
  agentName?: string
  text: string
  reasoningText: string
  /** The calls as executed. The transcript keeps the model's own input. */
  toolCalls: CALL[]
  toolResults: RESULT[]
  finishReason: FinishReason
  usage: Usage
  request: StepRequest
  response: StepResponse
  providerMetadata: ProviderMetadata | undefined
  durationMs: number
  /** The processors that ran in this step, and what they did. */
  processors: ProcessorRecord[]
  /** Rejected attempts at this step. Their usage is part of the run's usage. */
  discarded: DiscardedAttempt[]
}

/** The model request, without the prompt. */
export interface StepRequest {
  provider: string
  modelId: string
  modelSettings: ModelSettings
  tools: string[]
  toolChoice: ToolChoice | undefined
  /** Number of messages in the prompt, including system messages. */
  messageCount: number
  /**
   * The rules by which the prompt was adapted to its provider: see the agent's option `providerHistory`. Absent:
   * none.
   */
  mended?: readonly HistoryRuleName[]
}

/**
 * A problem that did not stop the run: a provider's warning, a processor that was skipped, or input messages that
 * were left out. With a memory, only the newest user message is used unless the run's options have `trusted: true`.
 */
export type RunWarning =
  | { type: 'model'; warning: SharedV4Warning; stepNumber: number }
  | { type: 'processor-skipped'; processorId: string; hook: HookName; error: unknown }
  | { type: 'input-left-out'; messages: number }

/**
 * Not an interface, and neither is `Ended`: emitted declarations inline an outcome, so the parts need no exported
 * name.
 */
type RunResultBase<STEP> = {
  /** If the run is suspended, the id to resume it by: that of the resumed run, if it waits for the rest of its answers. */
  runId: string
  /** The text of the last step. Empty if the run was rejected. */
  text: string
  /** The reasoning of the last step, as far as the model returns it. */
  reasoningText: string
  /** The messages that this run has created, in order. */
  messages: Message[]
  steps: STEP[]
  /** The sum of all steps, including discarded attempts and agents used as tools. */
  usage: Usage
  finishReason: FinishReason
  /** The records of all processors, in order, including hooks outside of steps. */
  processors: ProcessorRecord[]
  warnings: RunWarning[]
}

/** The result of a run. `status` discriminates the outcomes. Errors reject instead. */
export type RunResult<TOOLS extends ToolSet = ToolSet, OBJECT = unknown> = RunResultBase<StepResult<TOOLS>> &
  (
    | (Omit<Ended<'completed'>, 'object'> & { object: OBJECT })
    | Ended<'limit'>
    | (Omit<Ended<'tripwire'>, 'tripwire' | 'rejection'> & { tripwire: true; rejection: Rejection })
    | (Omit<Ended<'halted'>, 'halt'> & { halt: HaltInfo })
    | (Omit<Ended<'suspended'>, 'suspension'> & { suspension: Suspension<RunResult<TOOLS, OBJECT>> })
    | (Omit<Ended<'aborted'>, 'abortReason'> & { abortReason: unknown })
  )

/** Fields of other outcomes are `undefined`, so that they can be read without checking the status. */
type Ended<STATUS extends RunStatus> = {
  status: STATUS
  tripwire: false
  object?: undefined
  rejection?: undefined
  halt?: undefined
  suspension?: undefined
  abortReason?: undefined
}
