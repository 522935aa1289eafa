import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ProviderTool,
} from '@ai-sdk/provider'
import { processInputStep, type StepSettings } from '../processors/process-input-step.ts'
import type { StructuredOutputOptions } from '../processors/processor.ts'
import { toJsonSchema } from '../schema.ts'
import type { Tool, ToolSet } from '../tools/tool.ts'
import type { Run } from './run.ts'
import type { Step } from './step.ts'

/** One call of a model, ready to be made. */
export interface ModelRequest {
  model: LanguageModelV4
  options: LanguageModelV4CallOptions
  maxRetries: number
  structured: boolean
}

/** Lets the processors see and change the step, and turns what they leave into the request for the model. */
export async function prepareRequest(run: Run, step: Step): Promise<ModelRequest> {
  const settings = await processInputStep(run, step)
  const { model, modelSettings, toolChoice, providerOptions, structuredOutput } = settings
  const { maxRetries = 2, ...callSettings } = modelSettings
  const tools = activeTools(settings)
  step.tools = toolChoice === 'none' ? {} : tools
  run.structuredOutput = structuredOutput

  const prompt = await run.messageList.toPrompt({
    systemMessages: settings.systemMessages,
    tools: settings.tools,
    ...(settings.messages && { messages: settings.messages }),
  })
  if (run.feedback !== undefined)
    prompt.push({ role: 'user', content: [{ type: 'text', text: run.feedback }] })

  const toolNames = Object.keys(tools)
  step.request = {
    provider: model.provider,
    modelId: model.modelId,
    modelSettings,
    tools: toolNames,
    toolChoice,
    messageCount: prompt.length,
  }
  return {
    model,
    maxRetries,
    structured: structuredOutput !== undefined,
    options: {
      ...callSettings,
      prompt,
      abortSignal: run.signal,
      ...(toolNames.length > 0 && { tools: await describeTools(tools) }),
      ...(toolNames.length > 0 &&
        toolChoice && { toolChoice: typeof toolChoice === 'string' ? { type: toolChoice } : toolChoice }),
      ...(providerOptions && { providerOptions }),
      ...(structuredOutput && { responseFormat: await describeOutput(structuredOutput) }),
    },
  }
}

function activeTools({ tools, activeTools }: StepSettings): ToolSet {
  if (activeTools === undefined) return tools
  return Object.fromEntries(Object.entries(tools).filter(([name]) => activeTools.includes(name)))
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
