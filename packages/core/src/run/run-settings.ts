import type { LanguageModelV4StreamPart, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { ProviderHistoryOptions } from '../model/history/history-rules.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { StructuredOutputOptions } from '../model/model-request.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { ProcessInputStepArgs } from '../processors/input-hooks.ts'
import type { StopCondition } from '../results/stop-condition.ts'
import type { ToolApprovalConfiguration } from '../tools/approval.ts'
import type { ToolChoice, ToolSet } from '../tools/tool.ts'

/** The settings of a run: the agent's options, overridden by those of the call. */
export interface RunSettings {
  agentName: string
  model: LanguageModel
  tools: ToolSet
  toolApproval: ToolApprovalConfiguration | undefined
  activeTools: string[] | undefined
  toolChoice: ToolChoice | undefined
  modelSettings: ModelSettings
  providerOptions: SharedV4ProviderOptions | undefined
  structuredOutput: StructuredOutputOptions | undefined
  providerHistory: ProviderHistoryOptions | undefined
  stopWhen: readonly StopCondition[]
  maxSteps: number
  maxProcessorRetries: number
  toolConcurrency: number
  contextWindow: number | undefined
  recordContent: boolean
  emit: 'live' | 'step'
  /** Milliseconds. */
  stepTimeout: number | undefined
  chunkTimeout: number | undefined
  toolTimeout: number | undefined
  /** By tool name. */
  toolTimeouts: Readonly<Record<string, number>>
  /** Default: the agent's. */
  settingsFrom?: ProcessInputStepArgs['settingsFrom']
  /** Called with the stream parts of each response as the provider sends them, except text deltas. Must not throw. */
  onPart?: (part: LanguageModelV4StreamPart) => void
}
