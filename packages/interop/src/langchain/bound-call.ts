import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  SharedV4Warning,
} from '@ai-sdk/provider'
import type { BaseChatModel, BindToolsInput } from '@langchain/core/language_models/chat_models'
import { RunnableBinding } from '@langchain/core/runnables'
import { convertToOpenAITool, isLangChainTool } from '@langchain/core/utils/function_calling'
import { isRecord, MillraceError } from '@millrace/core'

/** The parts of a LangChain model call other than its messages. */
export interface BoundCall {
  /** The tools passed to `bindTools`: LangChain tools, and provider tools in the provider's own format. */
  tools: readonly BindToolsInput[]
  options: Record<string, unknown>
}

/** The settings of a call, in the format of the AI SDK. */
export function callSettings({ tools, options }: BoundCall): Omit<LanguageModelV4CallOptions, 'prompt'> {
  const { stop, signal, tool_choice } = options
  const schema = jsonSchemaIn(options.response_format)
  const toolChoice = choiceOf(tool_choice)
  return {
    tools: tools.flatMap((tool) => toolOf(tool) ?? []),
    ...(toolChoice && { toolChoice }),
    ...(schema && { responseFormat: { type: 'json', schema: schema as never } }),
    ...(Array.isArray(stop) && { stopSequences: stop }),
    ...(signal instanceof AbortSignal && { abortSignal: signal }),
  }
}

/** The model with the tools and options of a call, as the processors left them. */
export function bindCall(
  model: BaseChatModel,
  { tools, options }: BoundCall,
  given: LanguageModelV4CallOptions,
): { model: BaseChatModel; options: Record<string, unknown>; warnings: SharedV4Warning[] } {
  const { tool_choice, ...others } = options
  const before = callSettings({ tools, options })
  const kept = toolsLeft(tools, given.tools ?? [], before.tools ?? [])
  const isSameChoice = JSON.stringify(before.toolChoice) === JSON.stringify(given.toolChoice)
  const choice = isSameChoice ? tool_choice : nameOf(given.toolChoice)
  const call = {
    ...others,
    ...(given.stopSequences && { stop: given.stopSequences }),
    ...(given.abortSignal && { signal: given.abortSignal }),
  }
  const warnings = SETTINGS.flatMap((feature): SharedV4Warning[] =>
    given[feature] === undefined
      ? []
      : [
          {
            type: 'unsupported',
            feature,
            details: 'Chat models of LangChain take it when they are constructed.',
          },
        ],
  )
  if (kept.length === 0) return { model, options: call, warnings }
  const kwargs = { ...others, ...(choice !== undefined && { tool_choice: choice }) }
  const bound = model.bindTools?.([...kept], kwargs as never)
  if (bound === undefined) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The model '${model._llmType()}' has no bindTools, and the call has tools. Use a chat model that calls tools.`,
    )
  }
  const { model: inner, options: settings } = unbind(bound)
  return { model: inner, options: { ...kwargs, ...settings, ...call }, warnings }
}

const SETTINGS = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
] as const

/**
 * Finds the chat model inside a LangChain runnable, with the options that are bound to it.
 *
 * @throws MillraceError `MODEL_UNRESOLVED` if there is none
 */
export function unbind(given: unknown): { model: BaseChatModel; options: Record<string, unknown> } {
  if (RunnableBinding.isRunnableBinding(given)) {
    const { bound, config, kwargs } = given
    const { model, options } = unbind(bound)
    return { model, options: { ...options, ...config, ...kwargs } }
  }
  if (isChatModel(given)) return { model: given, options: {} }
  throw new MillraceError(
    'MODEL_UNRESOLVED',
    'The model is not a LangChain chat model, so its answers cannot be guarded. Pass an instance of a class that extends BaseChatModel, such as ChatOpenAI.',
  )
}

function isChatModel(value: unknown): value is BaseChatModel {
  return isObject(value) && typeof value._generate === 'function' && typeof value._llmType === 'function'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function toolsLeft(
  tools: readonly BindToolsInput[],
  left: NonNullable<LanguageModelV4CallOptions['tools']>,
  before: NonNullable<LanguageModelV4CallOptions['tools']>,
): BindToolsInput[] {
  const names = new Map(tools.flatMap((tool) => (toolOf(tool) ? [[toolOf(tool)?.name, tool] as const] : [])))
  const others = tools.filter((tool) => toolOf(tool) === undefined)
  const known = new Map(before.map((tool) => [tool.name, JSON.stringify(tool)]))
  return [
    ...others,
    ...left.flatMap((tool): BindToolsInput[] => {
      if (tool.type !== 'function') return []
      const own = names.get(tool.name)
      if (own !== undefined && known.get(tool.name) === JSON.stringify(tool)) return [own]
      const { name, description, inputSchema } = tool
      return [
        {
          type: 'function',
          function: { name, parameters: inputSchema, ...(description !== undefined && { description }) },
        },
      ]
    }),
  ]
}

/** `undefined` for provider tools, whose format only the provider knows. */
function toolOf(tool: BindToolsInput): LanguageModelV4FunctionTool | undefined {
  const { type, function: definition } = isLangChainTool(tool)
    ? convertToOpenAITool(tool as never)
    : (tool as { type?: unknown; function?: unknown })
  if (type !== 'function' || !isRecord(definition)) return undefined
  const { name, description, parameters = {} } = definition
  return {
    type: 'function',
    name: String(name),
    ...(typeof description === 'string' && { description }),
    inputSchema: parameters as LanguageModelV4FunctionTool['inputSchema'],
  }
}

export function choiceOf(choice: unknown): LanguageModelV4CallOptions['toolChoice'] {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice }
  if (choice === 'any') return { type: 'required' }
  if (typeof choice === 'string') return { type: 'tool', toolName: choice }
  const name = isRecord(choice) && isRecord(choice.function) ? choice.function.name : undefined
  return typeof name === 'string' ? { type: 'tool', toolName: name } : undefined
}

function nameOf(choice: LanguageModelV4CallOptions['toolChoice']): string | undefined {
  if (choice?.type === 'tool') return choice.toolName
  return choice?.type === 'required' ? 'any' : choice?.type
}

function jsonSchemaIn(format: unknown): Record<string, unknown> | undefined {
  const given = isRecord(format) && isRecord(format.json_schema) ? format.json_schema.schema : undefined
  return isRecord(given) ? given : undefined
}
