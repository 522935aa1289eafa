import { copyData } from '../../copy-data.ts'
import type { ModelRequest, StructuredOutputOptions } from '../../model/model-request.ts'
import type { ProcessInputStepResult } from '../../processors/input-hooks.ts'
import type { StepSettings } from '../../run/step-settings.ts'
import { copyTools, settleTools } from '../../tools/tool-copies.ts'

/**
 * The settings of a step or request that hooks may change in place. Messages belong to the transcript and the model
 * to the application, so they are not copied.
 */
type Editable = Partial<
  Pick<
    StepSettings & ModelRequest,
    | 'systemMessages'
    | 'prompt'
    | 'tools'
    | 'activeTools'
    | 'toolChoice'
    | 'providerOptions'
    | 'modelSettings'
    | 'structuredOutput'
  >
>

const DATA = [
  'systemMessages',
  'prompt',
  'activeTools',
  'toolChoice',
  'providerOptions',
  'modelSettings',
] as const satisfies readonly (keyof Editable)[]

/** A copy for hooks to change in place. Changes do not affect other steps or runs. */
export function ownCopy<SETTINGS extends Editable | ProcessInputStepResult>(settings: SETTINGS): SETTINGS {
  const copy = { ...settings } as SETTINGS & Editable
  const given = settings as Editable
  for (const key of DATA) if (given[key] !== undefined) Object.assign(copy, { [key]: copyData(given[key]) })
  if (given.tools) copy.tools = copyTools(given.tools)
  if (given.structuredOutput) copy.structuredOutput = { ...given.structuredOutput }
  return copy
}

/**
 * The settings after the hooks. Tools and schemas that they did not change are replaced by the objects of `before`,
 * so that changes can be detected by identity.
 */
export function settled<SETTINGS extends Editable>(after: SETTINGS, before: Editable): SETTINGS {
  const { tools, structuredOutput } = after
  const isSame =
    structuredOutput && before.structuredOutput && isSameOutput(structuredOutput, before.structuredOutput)
  return {
    ...after,
    ...(tools && { tools: settleTools(tools) }),
    ...(isSame && { structuredOutput: before.structuredOutput }),
  }
}

function isSameOutput(one: StructuredOutputOptions, other: StructuredOutputOptions): boolean {
  return one.schema === other.schema && one.name === other.name && one.description === other.description
}
