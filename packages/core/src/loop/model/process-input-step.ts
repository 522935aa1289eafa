import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { StepSettings } from '../../run/step-settings.ts'
import { hookKit } from '../hooks-on-demand.ts'
import { modelOf } from './step-model.ts'

/**
 * Runs `processInputStep` of every processor, `prepareStep` last; changes chain from one to the next. System messages
 * start anew from what `processInput` left, so what one step adds the next does not see.
 */
export async function processInputStep(run: Run, step: Step): Promise<StepSettings> {
  const settings = await savedSettings(run, step)
  step.settings ??= { systemMessages: settings.systemMessages, modelSettings: settings.modelSettings }
  return run.pipeline.processInputStep ? hookKit().changeStep(run, step, settings) : settings
}

/** The settings of the run, with what processors have changed in the step as far as it is stored. */
export async function savedSettings(run: Run, { settings: saved }: Step): Promise<StepSettings> {
  const model = await modelOf(run, saved?.modelId ?? run.settings.model)
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
