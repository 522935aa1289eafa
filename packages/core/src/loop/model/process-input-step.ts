import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type Message, type SystemMessage, systemMessageOf } from '../../messages/message.ts'
import { type LanguageModel, resolveModel } from '../../model/language-model.ts'
import type { ProcessInputStepResult, ProcessInputStepReturn } from '../../processors/input-hooks.ts'
import type { LookedAt } from '../../processors/snapshot-of.ts'
import type { Run } from '../../run/run.ts'
import type { SavedSettings } from '../../run/saved-settings.ts'
import type { Step } from '../../run/step.ts'
import { stepsFor } from '../../run/step-views.ts'
import { isThenable } from '../../schema.ts'
import type { ToolSet } from '../../tools/tool.ts'
import { MessageList } from '../../transcript/message-list.ts'
import type { Returned } from '../ask.ts'
import { hookKit } from '../hooks-on-demand.ts'
import type { StepSettings } from './step-settings.ts'

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

/** Loaded when needed, since few agents change their steps; and kept, since `import()` takes its time. */
let copies: typeof import('./own-settings.ts') | undefined

/**
 * Each processor gets copies of what it may change in place. What a hook has changed counts when it is done: not where it
 * suspends, since it is called again, nor where it fails and is skipped.
 */
async function askProcessors(run: Run, step: Step, initial: StepSettings): Promise<StepSettings> {
  copies ??= await import('./own-settings.ts')
  let settings = initial
  const look = new (hookKit().Look)(() => lookAt(settings))
  for (const processor of run.stages('processInputStep')) {
    const { ownCopy, settled } = copies
    const { messages } = settings
    let own = ownCopy(settings)
    let changes: ProcessInputStepResult = {}
    await hookKit().ask(run, processor, {
      hook: 'processInputStep',
      step,
      args: {
        ...own,
        messages: messages ? [...messages] : run.messageList.get(),
        systemMessages: [...own.systemMessages],
      },
      steps: () => stepsFor(run.gate(processor), run.steps),
      given: { messages },
      messages: () => settings.messages ?? run.messageList.get(),
      look,
      subject: { key: 'settings' },
      apply: async (result: Returned<ProcessInputStepReturn>) => {
        changes = changesOf(result)
        own = await change(own, changes, run)
      },
      settle: ({ skipped }) => {
        if (skipped) return
        settings = settled(own, settings)
        const saved = step.settings as SavedSettings
        step.settings = save(run, settings, { saved, changes, processorId: processor.id })
      },
    })
  }
  return settings
}

/** What of a step's settings may be edited in place, and what is only exchanged. */
function lookAt({ model, tools, structuredOutput, messages: _, ...settings }: StepSettings): LookedAt {
  const { schema, name, description } = structuredOutput ?? {}
  return { data: settings, refs: [model, ...Object.entries(tools).flat(), schema, name, description] }
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

/** Brings the forms a hook may return into one. */
function changesOf(result: Returned<ProcessInputStepReturn>): ProcessInputStepResult {
  if (result instanceof MessageList) return { messageList: result }
  return Array.isArray(result) ? { messages: result } : result
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
