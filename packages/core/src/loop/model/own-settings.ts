import { copyData } from '../../copy-data.ts'
import type { ModelRequest, StructuredOutputOptions } from '../../model/model-request.ts'
import type { ProcessInputStepResult } from '../../processors/input-hooks.ts'
import type { StepSettings } from '../../run/step-settings.ts'
import { copyTools, settleTools } from '../../tools/tool-copies.ts'

/** What of a step or a request hooks may change in place. Messages are the transcript's, the model is the application's. */
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

/** A copy for hooks to change in place: what they do to it reaches no other step and no other run. */
export function ownCopy<SETTINGS extends Editable | ProcessInputStepResult>(settings: SETTINGS): SETTINGS {
  const copy = { ...settings } as SETTINGS & Editable
  const given = settings as Editable
  for (const key of DATA) if (given[key] !== undefined) Object.assign(copy, { [key]: copyData(given[key]) })
  if (given.tools) copy.tools = copyTools(given.tools)
  if (given.structuredOutput) copy.structuredOutput = { ...given.structuredOutput }
  return copy
}

/**
 * What hooks have left of a copy of `before`. Tools and schemas that they did not change are those of `before` again: by
 * that, changes are known.
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
