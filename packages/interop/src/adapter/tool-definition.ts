import {
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type Schema,
  type Tool,
  type ToolSet,
  toJsonSchema,
  validate,
} from '@millrace/core'

/** A tool definition, in a form common to all adapters. */
export interface ToolDefinition {
  name: string
  description: string | undefined
  /** JSON Schema. */
  parameters: Record<string, unknown>
}

/** The tools that the step may use. */
export async function definitionsOf({
  tools,
  activeTools,
}: Pick<ProcessInputStepArgs, 'tools' | 'activeTools'>): Promise<ToolDefinition[]> {
  const names = Object.keys(tools).filter((name) => activeTools === undefined || activeTools.includes(name))
  return Promise.all(names.map(async (name) => define(name, tools[name] as Tool)))
}

async function define(name: string, tool: Tool): Promise<ToolDefinition> {
  const { type, description, inputSchema, args } = tool
  const schema = type === 'provider' ? (args ?? {}) : await toJsonSchema(inputSchema)
  return {
    name,
    description: typeof description === 'function' ? description({ context: {} as never }) : description,
    // A copy, because the receiver may edit it.
    parameters: structuredClone(schema) as Record<string, unknown>,
  }
}

/**
 * Replaces the tools of the step by `wanted`. A known name refers to the tool of the step, even if it was not
 * active. Any other name becomes a tool that runs at the client. Returns nothing if nothing differs.
 */
export function withTools(
  { tools }: Pick<ProcessInputStepArgs, 'tools'>,
  known: readonly ToolDefinition[],
  wanted: readonly ToolDefinition[],
): Pick<ProcessInputStepResult, 'tools' | 'activeTools'> {
  const before = new Map(known.map((definition) => [definition.name, definition]))
  const made: ToolSet = {}
  for (const definition of wanted) {
    const tool = Object.hasOwn(tools, definition.name) ? tools[definition.name] : undefined
    if (!tool) made[definition.name] = clientTool(definition)
    else if (isEdited(definition, before.get(definition.name)))
      made[definition.name] = edited(tool, definition)
  }
  const names = [...new Set(wanted.map(({ name }) => name))]
  const isSameSet = names.length === known.length && names.every((name) => before.has(name))
  return {
    ...(Object.keys(made).length > 0 && { tools: { ...tools, ...made } }),
    ...(!isSameSet && { activeTools: names }),
  }
}

function isEdited({ description, parameters }: ToolDefinition, before: ToolDefinition | undefined): boolean {
  if (!before) return false
  return (
    description !== before.description || JSON.stringify(parameters) !== JSON.stringify(before.parameters)
  )
}

/** The agent's tool with another description for the model. Its own schema still validates the input. */
function edited(tool: Tool, { description, parameters }: ToolDefinition): Tool {
  const { description: _, inputSchema, execute, ...rest } = tool
  return {
    ...rest,
    ...(execute && { execute: execute.bind(tool) }),
    ...(description !== undefined && { description }),
    inputSchema: schemaOf(parameters, (value) => validate(inputSchema, value)),
  }
}

function clientTool({ description, parameters }: ToolDefinition): Tool {
  return { ...(description !== undefined && { description }), inputSchema: schemaOf(parameters) }
}

/** A schema from JSON Schema. Without a validator, any input is accepted. */
export function schemaOf(
  jsonSchema: Record<string, unknown>,
  validator?: (value: unknown) => ReturnType<typeof validate>,
): Schema {
  return {
    _type: undefined,
    jsonSchema,
    ...(validator && { validate: validator }),
  }
}
