import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ModelSettings, PipelineAnswerOptions, Tool, ToolChoice, ToolSet } from '@millrace/core'
import { schemaOf } from '../adapter/tool-definition.ts'

type GivenTool = NonNullable<LanguageModelV4CallOptions['tools']>[number]

/** The settings of a call, in the form that processors receive. Retries are left to the caller. */
export function settingsOf(
  options: LanguageModelV4CallOptions,
): PipelineAnswerOptions & { tools: ToolSet; modelSettings: ModelSettings } {
  const {
    prompt: _,
    tools = [],
    toolChoice,
    responseFormat,
    providerOptions,
    abortSignal: __,
    // Raw chunks of the provider bypass all processors, so they are not requested.
    includeRawChunks: ___,
    ...rest
  } = options
  const isJson = responseFormat?.type === 'json'
  const given = { ...rest, ...(responseFormat && !isJson && { responseFormat }) }
  return {
    tools: Object.fromEntries(tools.map((tool) => [tool.name, toolOf(tool)])),
    toolChoice: toolChoice && (toolChoice.type === 'tool' ? toolChoice : (toolChoice.type as ToolChoice)),
    // Settings that core does not know are passed to the provider as well.
    modelSettings: { ...given, maxRetries: 0 } as ModelSettings,
    providerOptions,
    structuredOutput: isJson
      ? {
          schema: schemaOf((responseFormat.schema ?? {}) as Record<string, unknown>),
          ...(responseFormat.name !== undefined && { name: responseFormat.name }),
          ...(responseFormat.description !== undefined && { description: responseFormat.description }),
        }
      : undefined,
  }
}

function toolOf(tool: GivenTool): Tool {
  if (tool.type === 'provider')
    return { type: 'provider', id: tool.id, args: tool.args, inputSchema: schemaOf({}) }
  const { description, inputSchema, inputExamples, providerOptions, strict } = tool
  return {
    inputSchema: schemaOf(inputSchema as Record<string, unknown>),
    ...(description !== undefined && { description }),
    ...(inputExamples && { inputExamples }),
    ...(providerOptions && { providerOptions }),
    ...(strict !== undefined && { strict }),
  }
}
