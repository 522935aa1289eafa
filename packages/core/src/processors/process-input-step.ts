import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type Message, type SystemMessage, systemMessageOf } from '../messages/message.ts'
import { MessageList } from '../messages/message-list.ts'
import { type LanguageModel, resolveModel } from '../model/language-model.ts'
import type { Run } from '../run/run.ts'
import type { SavedSettings } from '../run/saved-settings.ts'
import type { Step } from '../run/step.ts'
import { isThenable } from '../schema.ts'
import type { ProcessInputStepArgs, ProcessInputStepResult, ProcessInputStepReturn } from './input-hooks.ts'
import type { Processor } from './processor.ts'
import { invalidResult } from './result-check.ts'

/** What one model call is made from, as `processInputStep` and `prepareStep` have left it. */
export type StepSettings = Pick<
  ProcessInputStepArgs,
  | 'systemMessages'
  | 'model'
  | 'tools'
  | 'activeTools'
  | 'toolChoice'
  | 'providerOptions'
  | 'modelSettings'
  | 'structuredOutput'
> & {
  /** The messages of this call, where they differ from the transcript. */
  messages: Message[] | undefined
}

/**
 * Runs `processInputStep` of every processor, `prepareStep` last; changes chain from one to the next. System messages
 * start anew from what `processInput` left, so what one step adds the next does not see.
 */
export function processInputStep(run: Run, step: Step): StepSettings | Promise<StepSettings> {
  const model = resolve(run, step.settings?.modelId ?? run.settings.model)
  return isThenable(model) ? model.then((resolved) => begin(run, step, resolved)) : begin(run, step, model)
}

function begin(run: Run, step: Step, model: LanguageModelV4): StepSettings | Promise<StepSettings> {
  const settings = initialSettings(run, step.settings, model)
  if (run.isPast('processInputStep')) return settings
  step.settings ??= { systemMessages: settings.systemMessages, modelSettings: settings.modelSettings }
  return run.pipeline.processInputStep === null ? settings : askProcessors(run, step, settings)
}

async function askProcessors(run: Run, step: Step, initial: StepSettings): Promise<StepSettings> {
  let settings = initial
  for (const processor of run.stages('processInputStep')) {
    const gate = run.gate(processor)
    const record = gate.record('processInputStep', step.number)
    const { messageList } = run
    const result = await gate.call(record, () =>
      processor.processInputStep({
        ...gate.argsFor(record),
        ...settings,
        messages: settings.messages ? [...settings.messages] : messageList.get(),
        systemMessages: [...settings.systemMessages],
        messageList,
        stepNumber: step.number,
        steps: run.steps.map(({ result }) => result),
      }),
    )
    run.throwIfOver()
    const changes = normalize(result, run, processor)
    if (!changes) continue
    record.note('changed')
    settings = await change(settings, changes, run)
    step.settings = save(settings, step.settings as SavedSettings, { changes, processorId: processor.id })
  }
  return settings
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

function save(
  settings: StepSettings,
  saved: SavedSettings,
  { changes, processorId }: { changes: ProcessInputStepResult; processorId: string },
): SavedSettings {
  const { messages, systemMessages, activeTools, toolChoice, providerOptions, modelSettings } = settings
  const { model, tools, structuredOutput } = changes
  const isObject = tools !== undefined || structuredOutput !== undefined || typeof model === 'object'
  const { modelId: before, replacedBy: replaced, ...rest } = saved
  const modelId = typeof model === 'string' ? model : model === undefined ? before : undefined
  const replacedBy = isObject ? processorId : replaced
  return {
    ...rest,
    systemMessages,
    modelSettings,
    ...(messages && { messages }),
    ...(activeTools && { activeTools }),
    ...(toolChoice && { toolChoice }),
    ...(providerOptions && { providerOptions }),
    ...(modelId !== undefined && { modelId }),
    ...(replacedBy !== undefined && { replacedBy }),
  }
}

/** Brings the forms a hook may return into one. `undefined` where nothing changes. */
function normalize(
  result: ProcessInputStepReturn,
  run: Run,
  { id }: Processor,
): ProcessInputStepResult | undefined {
  if (result === undefined || result === null) return undefined
  if (result === run.messageList) return { messageList: run.messageList }
  if (Array.isArray(result)) return { messages: result }
  if (typeof result !== 'object')
    throw invalidResult(id, 'processInputStep', `a value of type ${typeof result}`)
  if (result instanceof MessageList || (result.messageList && result.messageList !== run.messageList)) {
    throw invalidResult(id, 'processInputStep', 'another MessageList than the one it was given')
  }
  if (result.messages && result.messageList) {
    throw invalidResult(
      id,
      'processInputStep',
      'messages together with messageList, which exclude each other,',
    )
  }
  return Object.values(result).some((value) => value !== undefined) ? result : undefined
}

async function change(
  settings: StepSettings,
  changes: ProcessInputStepResult,
  run: Run,
): Promise<StepSettings> {
  const { messages, messageList, model, systemMessages, ...others } = changes
  const defined = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined))
  return {
    ...settings,
    ...(defined as Partial<StepSettings>),
    ...(model !== undefined && { model: await resolve(run, model) }),
    ...(systemMessages && { systemMessages: [...systemMessages] }),
    ...(messageList && { messages: undefined }),
    ...(messages && splitSystem(messages, systemMessages ?? settings.systemMessages)),
  }
}

/** System messages among the others join the step's system messages. */
function splitSystem(
  messages: readonly Message[],
  systemMessages: readonly SystemMessage[],
): Partial<StepSettings> {
  const others = messages.filter(({ role }) => role !== 'system')
  if (others.length === messages.length) return { messages: others }
  const added = messages.filter(({ role }) => role === 'system').map(systemMessageOf)
  return { messages: others, systemMessages: [...systemMessages, ...added] }
}

/** The model of the step before is the model of this one, unless another is asked for. */
function resolve(run: Run, model: LanguageModel): LanguageModelV4 | Promise<LanguageModelV4> {
  if (typeof model === 'object' && model?.specificationVersion === 'v4') return model
  const { resolvedModel } = run
  return resolvedModel && resolvedModel.from === model ? resolvedModel.model : resolveAnew(run, model)
}

async function resolveAnew(run: Run, from: LanguageModel): Promise<LanguageModelV4> {
  const model = await resolveModel(from)
  run.resolvedModel = { from, model }
  return model
}
