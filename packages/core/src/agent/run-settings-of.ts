import { copyData } from '../copy-data.ts'
import type { RunSettings } from '../run/run-settings.ts'
import type { AgentOptions, RunOptions } from './agent-options.ts'

/** The settings of one run. Data is copied, so that runs do not affect each other. */
export function runSettings(agentName: string, agent: AgentOptions, options: RunOptions): RunSettings {
  const { model, output, timeout } = options
  const stopWhen = options.stopWhen ?? agent.stopWhen ?? []
  return {
    agentName,
    model: model ?? agent.model,
    // A function is called when the run starts.
    tools: typeof agent.tools === 'function' ? {} : (agent.tools ?? {}),
    toolApproval: agent.toolApproval,
    contextWindow: options.contextWindow ?? agent.contextWindow,
    recordContent: agent.telemetry?.recordContent ?? false,
    activeTools: copyData(options.activeTools ?? agent.activeTools),
    toolChoice: copyData(options.toolChoice ?? agent.toolChoice),
    modelSettings: copyData({ ...agent.modelSettings, ...options.modelSettings }),
    providerOptions: copyData(options.providerOptions ?? agent.providerOptions),
    structuredOutput: output && { schema: output },
    providerHistory: agent.providerHistory,
    stopWhen: typeof stopWhen === 'function' ? [stopWhen] : stopWhen,
    maxSteps: options.maxSteps ?? agent.maxSteps ?? 20,
    maxProcessorRetries: agent.maxProcessorRetries ?? 3,
    toolConcurrency: agent.toolConcurrency ?? 10,
    emit: options.emit ?? agent.emit ?? 'live',
    stepTimeout: typeof timeout === 'object' ? timeout.stepMs : undefined,
    chunkTimeout: typeof timeout === 'object' ? timeout.chunkMs : undefined,
    toolTimeout: typeof timeout === 'object' ? timeout.toolMs : undefined,
    toolTimeouts: copyData((typeof timeout === 'object' && timeout.tools) || {}),
  }
}
