import { type Message, type SystemMessage, systemMessageOf } from '../../messages/message.ts'
import { modelLimits } from '../../model/model-limits.ts'
import type { ComparedValue } from '../../processors/change-detector.ts'
import type { ProcessInputStepResult } from '../../processors/input-hooks.ts'
import type { Run } from '../../run/run.ts'
import type { SavedSettings } from '../../run/saved-settings.ts'
import type { Step } from '../../run/step.ts'
import type { StepSettings } from '../../run/step-settings.ts'
import type { ToolSet } from '../../tools/tool.ts'
import { MessageList } from '../../transcript/message-list.ts'
import { askEach, type Returned } from '../ask.ts'
import { ownCopy, settled } from './own-settings.ts'
import { modelOf } from './step-model.ts'

/**
 * Calls `processInputStep` of each processor, with copies of the settings that it may change in place. Changes are
 * applied when the hook returns. They are dropped if it suspends, since it is called again, and if it fails and is
 * skipped.
 */
export async function changeStep(run: Run, step: Step, initial: StepSettings): Promise<StepSettings> {
  let settings = initial
  let own = initial
  let changes: ProcessInputStepResult = {}
  const messages = (): Message[] => settings.messages ?? run.messageList.get()
  await askEach(run, 'processInputStep', {
    step,
    args() {
      own = ownCopy(settings)
      changes = {}
      const { contextWindow, settingsFrom } = run.settings
      return {
        ...own,
        ...modelLimits(own.model, { contextWindow, modelSettings: own.modelSettings }),
        settingsFrom,
        messages: [...messages()],
        systemMessages: [...own.systemMessages],
      }
    },
    steps: run.steps,
    given: () => ({ messages: settings.messages, modelSettings: settings.modelSettings }),
    messages,
    compared: () => comparedIn(settings),
    subject: { key: 'settings' },
    async apply(result) {
      changes = changesOf(result)
      own = await change(own, changes, run)
      return undefined
    },
    settle({ skipped, processor }) {
      if (skipped) return
      settings = settled(own, settings)
      const saved = step.state.settings as SavedSettings
      step.state.settings = save(run, settings, { saved, changes, processorId: processor.id })
    },
  })
  return settings
}

/** The settings that hooks may edit in place (`data`), and those that they may only replace (`refs`). */
function comparedIn({
  model,
  tools,
  structuredOutput,
  messages: _,
  ...settings
}: StepSettings): ComparedValue {
  const { schema, name, description } = structuredOutput ?? {}
  return { data: settings, refs: [model, ...Object.entries(tools).flat(), schema, name, description] }
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

/** Normalizes what a hook may return. */
function changesOf(result: Returned<'processInputStep'>): ProcessInputStepResult {
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
    ...(model !== undefined && { model: await modelOf(run, model) }),
    ...(systemMessages && { systemMessages: [...systemMessages] }),
    ...(messageList && { messages: undefined }),
    ...(messages && splitSystem(messages, systemMessages ?? settings.systemMessages)),
  }
}

/** Moves system messages among the messages to the step's system messages. */
function splitSystem(
  messages: readonly Message[],
  systemMessages: readonly SystemMessage[],
): Partial<StepSettings> {
  const others = messages.filter(({ role }) => role !== 'system')
  if (others.length === messages.length) return { messages: others }
  const added = messages.filter(({ role }) => role === 'system').map(systemMessageOf)
  return { messages: others, systemMessages: [...systemMessages, ...added] }
}
