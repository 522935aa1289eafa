import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { AgentOptions, RunOptions } from '../agent-options.ts'
import { copyData } from '../copy-data.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { StructuredOutputOptions } from '../processors/input-hooks.ts'
import type { ToolApprovalConfiguration } from '../tools/approval.ts'
import type { ToolChoice, ToolSet } from '../tools/tool.ts'
import type { StopCondition } from './stop-condition.ts'

/** What a run is to do: the agent's options with the call's on top. */
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
}

/** The settings of one run of the agent of this name. Data is copied, so that no run changes that of another. */
export function runSettings(agentName: string, agent: AgentOptions, options: RunOptions): RunSettings {
  const { model, output, timeout } = options
  const stopWhen = options.stopWhen ?? agent.stopWhen ?? []
  return {
    agentName,
    model: model ?? agent.model,
    tools: agent.tools ?? {},
    toolApproval: agent.toolApproval,
    contextWindow: agent.contextWindow,
    recordContent: agent.telemetry?.recordContent ?? false,
    activeTools: copyData(options.activeTools ?? agent.activeTools),
    toolChoice: copyData(options.toolChoice ?? agent.toolChoice),
    modelSettings: copyData({ ...agent.modelSettings, ...options.modelSettings }),
    providerOptions: copyData(options.providerOptions ?? agent.providerOptions),
    structuredOutput: output && { schema: output },
    stopWhen: typeof stopWhen === 'function' ? [stopWhen] : stopWhen,
    maxSteps: options.maxSteps ?? agent.maxSteps ?? 20,
    maxProcessorRetries: agent.maxProcessorRetries ?? 3,
    toolConcurrency: agent.toolConcurrency ?? 10,
    emit: options.emit ?? agent.emit ?? 'live',
    stepTimeout: typeof timeout === 'object' ? timeout.stepMs : undefined,
    chunkTimeout: typeof timeout === 'object' ? timeout.chunkMs : undefined,
  }
}
