import {
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type Schema,
  type Tool,
  type ToolSet,
  validate,
} from '@millrace/core'
import { rewriteJsonSchema } from './json-schema.ts'
import type { RewriteText } from './request-texts.ts'

type RequestSettings = Pick<
  ProcessInputStepArgs,
  | 'systemMessages'
  | 'tools'
  | 'activeTools'
  | 'toolChoice'
  | 'modelSettings'
  | 'providerOptions'
  | 'structuredOutput'
>

/** The JSON Schema of a schema. */
type JsonSchemaOf = (schema: Schema) => unknown

/**
 * Rewrites all text in the settings of a model call. Returns what has changed. Text by which a request is held together
 * is passed to `fixed`.
 */
export function rewriteSettings(
  settings: RequestSettings,
  rewrite: RewriteText,
  jsonSchemaOf: JsonSchemaOf,
): ProcessInputStepResult {
  const { systemMessages, tools, activeTools, toolChoice, modelSettings, providerOptions, structuredOutput } =
    settings
  if (activeTools) rewrite.fixed(activeTools)
  rewrite.fixed(toolChoice)
  const schemas = new SchemaRewriter(rewrite, jsonSchemaOf)
  const changed = {
    systemMessages: rewriteSystem(systemMessages, rewrite),
    tools: rewriteTools(tools, rewrite, schemas),
    modelSettings: rewriteModelSettings(modelSettings, rewrite),
    providerOptions: providerOptions && rewrite.text(providerOptions, { numbers: false }),
    structuredOutput: structuredOutput && rewriteOutput(structuredOutput, rewrite, schemas),
  }
  const names = Object.keys(changed) as (keyof typeof changed)[]
  return Object.fromEntries(
    names.flatMap((name) => (changed[name] === settings[name] ? [] : [[name, changed[name]]])),
  )
}

function rewriteModelSettings(
  settings: RequestSettings['modelSettings'],
  rewrite: RewriteText,
): RequestSettings['modelSettings'] {
  const { headers, ...own } = settings
  if (headers) rewrite.fixed(withoutCredentials(headers))
  const left = { ...rewrite.text(own, { numbers: false }), ...(headers && { headers }) }
  const names = Object.keys(left) as (keyof typeof settings)[]
  return names.every((name) => left[name] === settings[name]) ? settings : left
}

/** The texts are one list: providers join them. */
function rewriteSystem(
  messages: RequestSettings['systemMessages'],
  rewrite: RewriteText,
): RequestSettings['systemMessages'] {
  const texts = messages.map(({ content }) => content)
  const left = rewrite.text(texts)
  let isChanged = false
  const rewritten = messages.map((message, index) => {
    const { content: _, providerOptions, place: __, ...rest } = message
    rewrite.fixed(rest)
    const options = providerOptions && rewrite.text(providerOptions, { numbers: false })
    const content = left[index] as string
    isChanged ||= content !== texts[index] || options !== providerOptions
    return { ...message, content, ...(options && { providerOptions: options }) }
  })
  return isChanged ? rewritten : messages
}

function rewriteTools(tools: ToolSet, rewrite: RewriteText, schemas: SchemaRewriter): ToolSet {
  let isChanged = false
  const entries = Object.entries(tools).map(([name, tool]) => {
    rewrite.fixed(name)
    const rewritten = rewriteTool(tool, rewrite, schemas)
    isChanged ||= rewritten !== tool
    return [name, rewritten] as const
  })
  return isChanged ? Object.fromEntries(entries) : tools
}

function rewriteTool(tool: Tool, rewrite: RewriteText, schemas: SchemaRewriter): Tool {
  if (tool.type === 'provider') {
    rewrite.fixed(tool.id)
    rewrite.fixed(tool.args)
    return tool
  }
  const { description, inputSchema, inputExamples, providerOptions } = tool
  const described = typeof description === 'function' ? description({ context: {} as never }) : description
  const redescribed = rewrite.text(described)
  const left = {
    ...(redescribed !== described && { description: redescribed }),
    inputSchema: schemas.rewrite(inputSchema),
    ...(inputExamples && { inputExamples: rewrite.text(inputExamples) }),
    ...(providerOptions && { providerOptions: rewrite.text(providerOptions, { numbers: false }) }),
  } as Partial<Tool>
  const isSame = Object.entries(left).every(([key, value]) => tool[key as keyof Tool] === value)
  // A tool may be an instance of a class.
  return isSame ? tool : Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, left)
}

function rewriteOutput(
  output: NonNullable<RequestSettings['structuredOutput']>,
  rewrite: RewriteText,
  schemas: SchemaRewriter,
): NonNullable<RequestSettings['structuredOutput']> {
  const { name, description, schema } = output
  rewrite.fixed(name)
  const left = description === undefined ? undefined : rewrite.text(description)
  const rewritten = schemas.rewrite(schema)
  if (left === description && rewritten === schema) return output
  return { ...output, schema: rewritten, ...(left !== undefined && { description: left }) }
}

class SchemaRewriter {
  readonly #rewrite: RewriteText
  readonly #jsonSchemaOf: JsonSchemaOf

  constructor(rewrite: RewriteText, jsonSchemaOf: JsonSchemaOf) {
    this.#rewrite = rewrite
    this.#jsonSchemaOf = jsonSchemaOf
  }

  rewrite(schema: Schema): Schema {
    const json = this.#jsonSchemaOf(schema)
    const left = rewriteJsonSchema(json, this.#rewrite)
    if (left === json) return schema
    return { jsonSchema: left, validate: (value) => validate(schema, value) } as Schema
  }
}

/** A provider authenticates requests by these: they are for it, not for the model. */
const CREDENTIAL = /^(?:(?:proxy-)?authorization|cookie)$|(?:^|-)(?:api-?key|token|secret|signature)$/i

/** The headers, but of credentials only the names. */
function withoutCredentials(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.map(([name, value]) => [name, CREDENTIAL.test(name) ? null : value]))
}
