import type { ModelRequest } from '../../model/model-request.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { StepSettings } from '../../run/step-settings.ts'
import type { ToolSet } from '../../tools/tool.ts'
import { savedSettings } from './process-input-step.ts'

/** Builds the model request from the step's settings after the processors. */
export async function prepareRequest(run: Run, step: Step): Promise<ModelRequest> {
  if (step.nextRequest) return step.nextRequest
  const settings = step.prepared ?? (await savedSettings(run, step))
  const { model, systemMessages, messages, toolChoice, modelSettings, providerOptions, structuredOutput } =
    settings
  const prompt = await run.messageList.toPrompt({
    systemMessages,
    tools: run.pipeline.processExecution
      ? (await import('./reviewed-views.ts')).reviewedViews(run, step, settings.tools)
      : settings.tools,
    ...(messages && { messages }),
  })
  if (run.state.feedback !== undefined) {
    prompt.push({ role: 'user', content: [{ type: 'text', text: run.state.feedback }] })
  }
  const tools = activeTools(settings)
  return { model, prompt, tools, toolChoice, modelSettings, providerOptions, structuredOutput }
}

function activeTools({ tools, activeTools }: StepSettings): ToolSet {
  if (activeTools === undefined) return tools
  return Object.fromEntries(Object.entries(tools).filter(([name]) => activeTools.includes(name)))
}
