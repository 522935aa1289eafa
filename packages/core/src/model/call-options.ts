import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ProviderTool,
} from '@ai-sdk/provider'
import { isThenable, toJsonSchema } from '../schema.ts'
import type { Tool, ToolSet } from '../tools/tool.ts'
import type { ModelRequest, StructuredOutputOptions } from './model-request.ts'

/** Converts a request to the provider's call options. */
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
  const described: (LanguageModelV4FunctionTool | LanguageModelV4ProviderTool)[] = []
  for (const [name, tool] of Object.entries(tools)) {
    if (tool.type === 'provider') {
      described.push(providerTool(name, tool))
      continue
    }
    const schema = toJsonSchema(tool.inputSchema)
    described.push(functionTool(name, tool, isThenable(schema) ? await schema : schema))
  }
  return described
}

function providerTool(name: string, { id, args }: Tool): LanguageModelV4ProviderTool {
  return { type: 'provider', name, id: id ?? `unknown.${name}`, args: args ?? {} }
}

function functionTool(name: string, tool: Tool, inputSchema: JSONSchema7): LanguageModelV4FunctionTool {
  const { strict, inputExamples, providerOptions } = tool
  const description =
    typeof tool.description === 'function' ? tool.description({ context: {} as never }) : tool.description
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    inputSchema,
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
