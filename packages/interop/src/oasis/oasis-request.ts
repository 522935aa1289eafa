import {
  type ModelSettings,
  type ProcessInputStepResult,
  type StructuredOutputOptions,
  toJsonSchema,
} from '@millrace/core'
import { schemaOf } from '../adapter/tool-definition.ts'
import type { OasisGenerationParams, OasisResponseSchema } from './oasis-message.ts'

export async function oasisSchema(
  structuredOutput: StructuredOutputOptions | undefined,
): Promise<OasisResponseSchema | undefined> {
  if (!structuredOutput) return undefined
  const { schema, name = 'response' } = structuredOutput
  return { Name: name, Schema: structuredClone(await toJsonSchema(schema)) as Record<string, unknown> }
}

/**
 * Applies a schema that replaced another. A removed schema stays, because a run sets the output schema once.
 */
export function schemaChanges(
  before: OasisResponseSchema | undefined,
  after: OasisResponseSchema | undefined,
): Pick<ProcessInputStepResult, 'structuredOutput'> {
  if (!after || JSON.stringify(after) === JSON.stringify(before)) return {}
  return { structuredOutput: { schema: schemaOf(after.Schema), name: after.Name } }
}

const SETTINGS = {
  Temperature: 'temperature',
  TopP: 'topP',
  TopK: 'topK',
  MaxTokens: 'maxOutputTokens',
} as const satisfies Record<keyof OasisGenerationParams, keyof ModelSettings>

type Param = keyof typeof SETTINGS

export function oasisParams(settings: ModelSettings): OasisGenerationParams | undefined {
  const params: OasisGenerationParams = {}
  for (const [param, setting] of Object.entries(SETTINGS) as [Param, (typeof SETTINGS)[Param]][]) {
    const value = settings[setting]
    if (value !== undefined) params[param] = value
  }
  return Object.keys(params).length === 0 ? undefined : params
}

/** A parameter that is left out is reset to the provider's default. */
export function paramChanges(
  settings: ModelSettings,
  params: OasisGenerationParams | undefined,
): Pick<ProcessInputStepResult, 'modelSettings'> {
  const changed: ModelSettings = { ...settings }
  let isChanged = false
  for (const [param, setting] of Object.entries(SETTINGS) as [Param, (typeof SETTINGS)[Param]][]) {
    const value = params?.[param]
    if (value === settings[setting]) continue
    isChanged = true
    if (value === undefined || value === null) delete changed[setting]
    else changed[setting] = value
  }
  return isChanged ? { modelSettings: changed } : {}
}
