import type { SharedV4Warning } from '@ai-sdk/provider'
import type { HookName } from '../hook-name.ts'
import type { Message, ProviderMetadata } from '../messages/message.ts'
import type { HistoryRuleName } from '../model/history/history-rules.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { ToolCallOf, ToolChoice, ToolResultOf, ToolSet } from '../tools/tool.ts'
import type { Usage } from '../usage.ts'
import type { FinishReason, HaltInfo, Rejection, RunStatus, StepResponse, SuspensionInfo } from './outcome.ts'
import type { RunHandle } from './run-handle.ts'

/** A suspended run, and the way to resume it. */
export interface Suspension<RESULT extends RunResult = RunResult> extends SuspensionInfo {
  /** Resumes the run, with its options as they were. As `agent.resume`. */
  resume(data?: unknown): RunHandle<RESULT>
  /** Gives the run up. Returns whether it could still be resumed until now. */
  release(): Promise<boolean>
}

/** What a processor did in one hook: the calls of one step (or of the run, outside of steps) taken together. */
export interface ProcessorRecord {
  processorId: string
  hook: HookName
  /** The step, counted from 0; `undefined` for hooks outside of steps. */
  stepNumber: number | undefined
  /** The strongest thing it did: of several, the one that comes last in the type. */
  action: ProcessorAction
  calls: number
  /** Milliseconds inside the hook, waiting included. Sampled for synchronous stream hooks. */
  durationMs: number
  /** What its own calls of models used, by model, where it has reported any. It is no part of the run's `usage`. */
  modelUsage?: ModelUsage[]
}

/** Calls of one model and what they used together. */
export interface ModelUsage {
  /** Empty where the model was given as an id. */
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

/** An attempt at a step that a processor rejected. Its text is gone. */
export interface DiscardedAttempt {
  reason: string
  processorId: string | undefined
  usage: Usage
}

/** One call of the model and the tools it led to. */
export type StepResult<TOOLS extends ToolSet = ToolSet> = StepResultOf<ToolCallOf<TOOLS>, ToolResultOf<TOOLS>>

/** By the types of the calls and not of the tools: so an agent with certain tools is still an agent with any tools. */
interface StepResultOf<CALL, RESULT> {
  stepNumber: number
  /** The agent that wrote the step, where the turn is handed off to it. Then `request` is empty. */
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
  /** The rules by which the prompt was mended for its provider: see the agent's option `providerHistory`. Absent: none. */
  mended?: readonly HistoryRuleName[]
}

/**
 * Something the run survived: a provider's warning, a processor that was skipped, or messages of the input that were not
 * taken: with a memory, only the newest user message is, unless the run's options say `trusted: true`.
 */
export type RunWarning =
  | { type: 'model'; warning: SharedV4Warning; stepNumber: number }
  | { type: 'processor-skipped'; processorId: string; hook: HookName; error: unknown }
  | { type: 'input-left-out'; messages: number }

/** No interface, as `Ended`: users' declarations spell out an outcome, and need no name for its parts. */
type RunResultBase<STEP> = {
  runId: string
  /** The text of the last step. Empty where the run was rejected. */
  text: string
  /** The reasoning of the last step, as far as the model shows it. */
  reasoningText: string
  /** The messages this run made, in order. */
  messages: Message[]
  steps: STEP[]
  /** Added up over all steps, discarded attempts and agents used as tools included. */
  usage: Usage
  finishReason: FinishReason
  /** Every processor that took part, in order, hooks outside of steps included. */
  processors: ProcessorRecord[]
  warnings: RunWarning[]
}

/** How a run ended, and what it made. Outcomes are told apart by `status`; faults reject instead. */
export type RunResult<TOOLS extends ToolSet = ToolSet, OBJECT = unknown> = RunResultBase<StepResult<TOOLS>> &
  (
    | (Omit<Ended<'completed'>, 'object'> & { object: OBJECT })
    | Ended<'limit'>
    | (Omit<Ended<'tripwire'>, 'tripwire' | 'rejection'> & { tripwire: true; rejection: Rejection })
    | (Omit<Ended<'halted'>, 'halt'> & { halt: HaltInfo })
    | (Omit<Ended<'suspended'>, 'suspension'> & { suspension: Suspension<RunResult<TOOLS, OBJECT>> })
    | (Omit<Ended<'aborted'>, 'abortReason'> & { abortReason: unknown })
  )

/** What only some outcomes have is `undefined` in the others, so that it can be read without asking for the status. */
type Ended<STATUS extends RunStatus> = {
  status: STATUS
  tripwire: false
  object?: undefined
  rejection?: undefined
  halt?: undefined
  suspension?: undefined
  abortReason?: undefined
}
