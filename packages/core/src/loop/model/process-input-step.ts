import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Run } from '../../run/run.ts'
import type { SavedSettings } from '../../run/saved-settings.ts'
import type { Step } from '../../run/step.ts'
import { isThenable } from '../../schema.ts'
import { hookKit } from '../hooks-on-demand.ts'
import { modelOf } from './step-model.ts'
import type { StepSettings } from './step-settings.ts'

/**
 * Runs `processInputStep` of every processor, `prepareStep` last; changes chain from one to the next. System messages
 * start anew from what `processInput` left, so what one step adds the next does not see.
 */
export function processInputStep(run: Run, step: Step): StepSettings | Promise<StepSettings> {
  const model = modelOf(run, step.settings?.modelId ?? run.settings.model)
  return isThenable(model) ? model.then((resolved) => begin(run, step, resolved)) : begin(run, step, model)
}

function begin(run: Run, step: Step, model: LanguageModelV4): StepSettings | Promise<StepSettings> {
  const settings = initialSettings(run, step.settings, model)
  if (run.isPast('processInputStep')) return settings
  step.settings ??= { systemMessages: settings.systemMessages, modelSettings: settings.modelSettings }
  return run.pipeline.processInputStep ? hookKit().changeStep(run, step, settings) : settings
}

function initialSettings(run: Run, saved: SavedSettings | undefined, model: LanguageModelV4): StepSettings {
  const { tools, activeTools, toolChoice, providerOptions, modelSettings, structuredOutput } = run.settings
  return {
    messages: saved?.messages,
    systemMessages: [...(saved?.systemMessages ?? run.systemMessages)],
    model,
    tools,
    activeTools: saved?.activeTools ?? activeTools,
    toolChoice: saved?.toolChoice ?? toolChoice,
    providerOptions: saved?.providerOptions ?? providerOptions,
    modelSettings: saved?.modelSettings ?? modelSettings,
    structuredOutput,
  }
}
