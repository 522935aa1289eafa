import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ProviderTool,
} from '@ai-sdk/provider'
import type { StructuredOutputOptions } from '../processors/input-hooks.ts'
import type { ModelRequest } from '../processors/model-hooks.ts'
import { toJsonSchema } from '../schema.ts'
import type { Tool, ToolSet } from '../tools/tool.ts'

/** A request in the form the provider takes it. */
export async function callOptions(
  request: ModelRequest,
  abortSignal: AbortSignal,
): Promise<LanguageModelV4CallOptions> {
  const { prompt, tools, toolChoice, modelSettings, providerOptions, structuredOutput } = request
  const { maxRetries: _, ...settings } = modelSettings
  const hasTools = Object.keys(tools).length > 0
  return {
    ...settings,
    prompt,
    abortSignal,
    ...(hasTools && { tools: await describeTools(tools) }),
    ...(hasTools &&
      toolChoice && { toolChoice: typeof toolChoice === 'string' ? { type: toolChoice } : toolChoice }),
    ...(providerOptions && { providerOptions }),
    ...(structuredOutput && { responseFormat: await describeOutput(structuredOutput) }),
  }
}

async function describeTools(
  tools: ToolSet,
): Promise<(LanguageModelV4FunctionTool | LanguageModelV4ProviderTool)[]> {
  return Promise.all(
    Object.entries(tools).map(([name, tool]) =>
      tool.type === 'provider' ? providerTool(name, tool) : functionTool(name, tool),
    ),
  )
}

function providerTool(name: string, { id, args }: Tool): LanguageModelV4ProviderTool {
  return { type: 'provider', name, id: id ?? `unknown.${name}`, args: args ?? {} }
}

async function functionTool(name: string, tool: Tool): Promise<LanguageModelV4FunctionTool> {
  const { strict, inputExamples, providerOptions } = tool
  const description =
    typeof tool.description === 'function' ? tool.description({ context: {} as never }) : tool.description
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    inputSchema: await toJsonSchema(tool.inputSchema),
    ...(inputExamples && { inputExamples }),
    ...(providerOptions && { providerOptions }),
    ...(strict !== undefined && { strict }),
  }
}

async function describeOutput({
  schema,
  name,
  description,
}: StructuredOutputOptions): Promise<NonNullable<LanguageModelV4CallOptions['responseFormat']>> {
  return {
    type: 'json',
    schema: await toJsonSchema(schema),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  }
}
