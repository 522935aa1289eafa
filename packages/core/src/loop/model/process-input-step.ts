import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Run } from '../../run/run.ts'
import type { SavedSettings } from '../../run/saved-settings.ts'
import type { Step } from '../../run/step.ts'
import type { StepSettings } from '../../run/step-settings.ts'
import { isThenable } from '../../schema.ts'
import { hookKit } from '../hooks-on-demand.ts'
import { modelOf } from './step-model.ts'

/**
 * Calls `processInputStep` of every processor, then `prepareStep`. Each receives the changes of the previous ones.
 * Every step starts from the system messages that `processInput` left, so additions last for one step.
 */
export function processInputStep(run: Run, step: Step): StepSettings | Promise<StepSettings> {
  const settings = savedSettings(run, step)
  return isThenable(settings)
    ? settings.then((resolved) => askProcessors(run, step, resolved))
    : askProcessors(run, step, settings)
}

function askProcessors(run: Run, step: Step, settings: StepSettings): StepSettings | Promise<StepSettings> {
  step.state.settings ??= { systemMessages: settings.systemMessages, modelSettings: settings.modelSettings }
  return run.pipeline.processInputStep ? hookKit().changeStep(run, step, settings) : settings
}

/** The settings of the run, with the stored changes of the processors in this step. */
export function savedSettings(run: Run, step: Step): StepSettings | Promise<StepSettings> {
  const saved = step.state.settings
  const model = modelOf(run, saved?.modelId ?? run.settings.model)
  return isThenable(model)
    ? model.then((resolved) => settingsWith(run, saved, resolved))
    : settingsWith(run, saved, model)
}

function settingsWith(run: Run, saved: SavedSettings | undefined, model: LanguageModelV4): StepSettings {
  const { tools, activeTools, toolChoice, providerOptions, modelSettings, structuredOutput } = run.settings
  return {
    messages: saved?.messages,
    systemMessages: [...(saved?.systemMessages ?? run.state.systemMessages)],
    model,
    tools,
    activeTools: saved?.activeTools ?? activeTools,
    toolChoice: saved?.toolChoice ?? toolChoice,
    providerOptions: saved?.providerOptions ?? providerOptions,
    modelSettings: saved?.modelSettings ?? modelSettings,
    structuredOutput,
  }
}
