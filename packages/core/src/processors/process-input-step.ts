import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type Message, type SystemMessage, systemMessageOf } from '../messages/message.ts'
import { MessageList } from '../messages/message-list.ts'
import { type LanguageModel, resolveModel } from '../model/language-model.ts'
import type { Run } from '../run/run.ts'
import type { SavedSettings } from '../run/saved-settings.ts'
import type { Step } from '../run/step.ts'
import { isThenable } from '../schema.ts'
import type { ToolSet } from '../tools/tool.ts'
import type { ProcessInputStepArgs, ProcessInputStepResult, ProcessInputStepReturn } from './input-hooks.ts'
import type { Processor } from './processor.ts'
import { invalidResult } from './result-check.ts'
import { stepsFor } from './step-views.ts'

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

const SKIPPED = Symbol('skipped')

/** Loaded when needed, since few agents change their steps; and kept, since `import()` takes its time. */
let copies: typeof import('./own-settings.ts') | undefined

/**
 * Each processor gets copies of what it may change in place. What a hook has changed counts when it is done: not where it
 * suspends, since it is called again, nor where it fails and is skipped.
 */
async function askProcessors(run: Run, step: Step, initial: StepSettings): Promise<StepSettings> {
  copies ??= await import('./own-settings.ts')
  let settings = initial
  for (const processor of run.stages('processInputStep')) {
    const gate = run.gate(processor)
    const record = gate.record('processInputStep', step.number)
    const { messageList } = run
    const own = copies.ownCopy(settings)
    const hook = () =>
      processor.processInputStep({
        ...gate.argsFor(record),
        ...own,
        messages: own.messages ? [...own.messages] : messageList.get(),
        systemMessages: [...own.systemMessages],
        messageList,
        stepNumber: step.number,
        get steps() {
          return stepsFor(gate, run.steps)
        },
      })
    const result = await gate.call<ProcessInputStepReturn, typeof SKIPPED>(record, hook, SKIPPED)
    run.throwIfOver()
    if (result === SKIPPED) continue
    const changes = normalize(result, run, processor)
    if (changes) record.note('changed')
    settings = copies.settled(changes ? await change(own, changes, run) : own, settings)
    step.settings = save(run, settings, {
      saved: step.settings as SavedSettings,
      changes: changes ?? {},
      processorId: processor.id,
    })
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
  run: Run,
  settings: StepSettings,
  {
    saved,
    changes,
    processorId,
  }: { saved: SavedSettings; changes: ProcessInputStepResult; processorId: string },
): SavedSettings {
  const { messages, systemMessages, modelSettings } = settings
  const { model } = changes
  const isObject =
    typeof model === 'object' ||
    settings.structuredOutput !== run.settings.structuredOutput ||
    !isSameTools(settings.tools, run.settings.tools)
  const { modelId: before, replacedBy: replaced, ...rest } = saved
  const modelId = typeof model === 'string' ? model : model === undefined ? before : undefined
  const replacedBy = isObject ? processorId : replaced
  return {
    ...rest,
    systemMessages,
    modelSettings,
    ...(messages && { messages }),
    ...changed('activeTools'),
    ...changed('toolChoice'),
    ...changed('providerOptions'),
    ...(modelId !== undefined && { modelId }),
    ...(replacedBy !== undefined && { replacedBy }),
  }

  function changed<KEY extends 'activeTools' | 'toolChoice' | 'providerOptions'>(
    key: KEY,
  ): Partial<SavedSettings> {
    const value = settings[key]
    const isSame = JSON.stringify(value) === JSON.stringify(run.settings[key])
    return value === undefined || (isSame && saved[key] === undefined) ? {} : { [key]: value }
  }
}

function isSameTools(one: ToolSet, other: ToolSet): boolean {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
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
