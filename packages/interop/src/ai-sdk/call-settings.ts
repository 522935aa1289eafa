import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ModelSettings, PipelineAnswerOptions, Tool, ToolChoice, ToolSet } from '@millrace/core'
import { schemaOf } from '../adapter/tool-definition.ts'

type GivenTool = NonNullable<LanguageModelV4CallOptions['tools']>[number]

/** What a call asks for besides its prompt, as processors see it. Retries are the caller's. */
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
    // What a provider sends has not been seen by any processor.
    includeRawChunks: ___,
    ...rest
  } = options
  const isJson = responseFormat?.type === 'json'
  const given = { ...rest, ...(responseFormat && !isJson && { responseFormat }) }
  return {
    tools: Object.fromEntries(tools.map((tool) => [tool.name, toolOf(tool)])),
    toolChoice: toolChoice && (toolChoice.type === 'tool' ? toolChoice : (toolChoice.type as ToolChoice)),
    // Settings that core does not know reach the provider all the same.
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
