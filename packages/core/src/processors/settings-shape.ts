import {
  data,
  describe,
  either,
  list,
  mismatch,
  number,
  object,
  oneOf,
  record,
  type Shape,
  string,
} from './shape.ts'

const modelObject: Shape = (value, place) => {
  if (typeof value !== 'object' || value === null) throw mismatch(place, describe(value))
  const { specificationVersion: version } = value as { specificationVersion?: unknown }
  if (version === 'v4' || version === 'v3' || version === 'v2') return value
  if (typeof version === 'string') throw mismatch(place, `a model of specification '${version.slice(0, 10)}'`)
  throw mismatch(place, describe(value))
}

const modelId: Shape = (value, place) => {
  if (value !== '') return value
  throw mismatch(place, 'an empty string')
}

const schema: Shape = (value, place) => {
  const isObject = typeof value === 'object' && value !== null
  if (typeof value === 'function' || (isObject && ('~standard' in value || 'jsonSchema' in value)))
    return value
  throw mismatch(place, describe(value))
}

/** A tool, which may be an instance of a class. */
const tool: Shape = (value, place) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw mismatch(place, describe(value))
  const { inputSchema, execute } = value as { inputSchema?: unknown; execute?: unknown }
  if (inputSchema === undefined || inputSchema === null) throw mismatch(place, 'a tool without inputSchema')
  if (execute !== undefined && typeof execute !== 'function')
    throw mismatch(place, `a tool with ${describe(execute)} for execute`)
  return value
}

/** The settings of a model call that `processInputStep` and `processModelError` may change. */
export const SETTINGS: Readonly<Record<string, Shape>> = {
  model: either('string', modelId, modelObject),
  tools: record(tool),
  toolChoice: either(
    'string',
    oneOf('auto', 'none', 'required'),
    object({ type: oneOf('tool'), toolName: string }),
  ),
  modelSettings: object(
    {},
    {
      optional: {
        maxOutputTokens: number,
        temperature: number,
        topP: number,
        topK: number,
        presencePenalty: number,
        frequencyPenalty: number,
        stopSequences: list(string),
        seed: number,
        reasoning: string,
        headers: record(string),
        maxRetries: number,
      },
      // A request of another program may have settings with names of its own.
      keeps: (key, { modelSettings = {} }) => Object.hasOwn(modelSettings, key),
    },
  ),
  providerOptions: record(record(data)),
  structuredOutput: object({ schema }, { optional: { name: string, description: string } }),
}
