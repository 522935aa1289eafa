import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4ProviderTool,
} from '@ai-sdk/provider'
import { MillraceError } from '@millrace/core'
import type {
  AgentsHandoff,
  AgentsItem,
  AgentsOutputType,
  AgentsRequest,
  AgentsTool,
} from './agents-types.ts'
import { itemsOfPrompt } from './items-of-prompt.ts'
import { promptOfItems } from './prompt-of-items.ts'
import { readItems } from './read-items.ts'

type GivenTool = LanguageModelV4FunctionTool | LanguageModelV4ProviderTool

/** The settings that both sides support, with their names on each side. */
const SETTINGS = {
  temperature: 'temperature',
  topP: 'topP',
  frequencyPenalty: 'frequencyPenalty',
  presencePenalty: 'presencePenalty',
  maxTokens: 'maxOutputTokens',
} as const

/** A request as a call of the AI SDK, and the changed call as a request again. */
export class OriginalRequest {
  readonly options: LanguageModelV4CallOptions
  readonly #request: AgentsRequest
  readonly #input: readonly object[]
  readonly #items: readonly AgentsItem[]
  readonly #prompt: LanguageModelV4Prompt

  /** @throws MillraceError `RUN_INPUT_INVALID` or `CONFIG_INVALID` for content that processors cannot see */
  constructor(request: AgentsRequest) {
    refuseUnseen(request)
    const { input, systemInstructions, modelSettings, outputType, signal } = request
    this.#request = request
    this.#input = listOf(input)
    this.#items = readItems(this.#input, 'input')
    this.#prompt = promptOfItems(this.#items, systemInstructions)
    const tools = [...request.tools.map(toolOf), ...request.handoffs.map(toolOfHandoff)]
    this.options = {
      prompt: this.#prompt,
      ...(tools.length > 0 && { tools }),
      ...(tools.length > 0 && { toolChoice: choiceOf(modelSettings.toolChoice) }),
      ...(outputType !== 'text' && { responseFormat: formatOf(outputType) }),
      ...(signal && { abortSignal: signal }),
      ...sharedSettings(modelSettings),
    }
  }

  /**
   * The request after the processors. Traces of the model contain no content, because no processor has seen
   * its output yet.
   */
  left(options: LanguageModelV4CallOptions): AgentsRequest {
    const request = this.#request
    const { tracing, modelSettings, outputType } = request
    const { items, instructions } = itemsOfPrompt(options.prompt, {
      given: this.#items,
      before: this.#prompt,
    })
    const { responseFormat } = options
    const format = outputType === 'text' ? undefined : formatOf(outputType)
    return {
      ...request,
      systemInstructions: instructions,
      input: isSameAsInput(items, this.#input) ? request.input : items,
      modelSettings: this.#settings(options, modelSettings),
      ...this.#tools(options.tools ?? []),
      outputType: isSame(format, responseFormat) ? outputType : outputOf(responseFormat),
      tracing: tracing === true ? 'enabled_without_data' : tracing,
      signal: options.abortSignal,
    }
  }

  #settings(options: LanguageModelV4CallOptions, given: Record<string, unknown>): Record<string, unknown> {
    const left: Record<string, unknown> = { ...given }
    for (const [name, key] of Object.entries(SETTINGS)) {
      if (options[key] !== (given[name] ?? undefined)) left[name] = options[key]
    }
    if (!isSame(options.toolChoice, this.options.toolChoice)) {
      const { toolChoice } = options
      left.toolChoice = toolChoice?.type === 'tool' ? toolChoice.toolName : toolChoice?.type
    }
    return left
  }

  #tools(left: readonly GivenTool[]): Pick<AgentsRequest, 'tools' | 'handoffs'> {
    const tools: AgentsTool[] = []
    const handoffs: AgentsHandoff[] = []
    for (const tool of left) {
      const given = this.#request.tools.find((known) => nameOf(known) === tool.name)
      const handoff = this.#request.handoffs.find(({ toolName }) => toolName === tool.name)
      if (given) tools.push(isSame(toolOf(given), tool) ? given : changed(given, tool))
      else if (handoff) handoffs.push(handoff)
      else tools.push(changed({ type: 'function', name: tool.name, strict: false }, tool))
    }
    return { tools, handoffs }
  }
}

export function listOf(input: string | readonly object[]): readonly object[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input
}

function isSameAsInput(items: readonly AgentsItem[], given: readonly object[]): boolean {
  return items.length === given.length && items.every((item, index) => item === given[index])
}

/** Content that the provider stores and adds to the prompt itself. */
const UNSEEN = {
  previousResponseId: 'Pass the conversation as input, or use a session.',
  conversationId: 'Pass the conversation as input, or use a session.',
  prompt: 'Pass the instructions of the agent as text.',
} as const

function refuseUnseen(request: AgentsRequest): void {
  for (const [name, remedy] of Object.entries(UNSEEN)) {
    if (request[name as keyof typeof UNSEEN] === undefined) continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `The request has ${name}, by which the provider adds content that processors cannot see. ${remedy}`,
    )
  }
  const unseen = request.tools.find(({ type }) => type !== 'function' && type !== 'hosted_tool')
  if (unseen === undefined) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `The agent has the tool '${unseen.name}' of type '${unseen.type}', whose calls and results processors cannot see. Use a function tool.`,
  )
}

function nameOf({ type, name, providerData }: AgentsTool): string {
  // All MCP servers have the same tool name, so the label is used.
  const label = providerData?.server_label
  return type === 'hosted_tool' && typeof label === 'string' ? `${name}.${label}` : name
}

function toolOf(tool: AgentsTool): GivenTool {
  const { type, description, parameters, strict, providerData } = tool
  const name = nameOf(tool)
  if (type !== 'function')
    return { type: 'provider', id: `openai.${tool.name}`, name, args: { ...providerData } }
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    inputSchema: (parameters ?? {}) as JSONSchema7,
    ...(strict !== undefined && { strict }),
  }
}

function toolOfHandoff({
  toolName,
  toolDescription,
  inputJsonSchema,
  strictJsonSchema,
}: AgentsHandoff): GivenTool {
  return {
    type: 'function',
    name: toolName,
    description: toolDescription,
    inputSchema: inputJsonSchema as JSONSchema7,
    strict: strictJsonSchema,
  }
}

function changed(given: AgentsTool, tool: GivenTool): AgentsTool {
  if (tool.type === 'provider') return { ...given, providerData: tool.args }
  const { description = '', inputSchema } = tool
  return { ...given, description, parameters: inputSchema }
}

function choiceOf(choice: unknown): NonNullable<LanguageModelV4CallOptions['toolChoice']> {
  if (choice === undefined || choice === null) return { type: 'auto' }
  if (choice === 'auto' || choice === 'required' || choice === 'none') return { type: choice }
  return { type: 'tool', toolName: String(choice) }
}

function formatOf({
  name,
  schema,
}: AgentsOutputType): NonNullable<LanguageModelV4CallOptions['responseFormat']> {
  return { type: 'json', schema: schema as JSONSchema7, name }
}

function outputOf(format: LanguageModelV4CallOptions['responseFormat']): AgentsRequest['outputType'] {
  if (format?.type !== 'json') return 'text'
  return { type: 'json_schema', name: format.name ?? 'answer', strict: false, schema: format.schema ?? {} }
}

function sharedSettings(given: Record<string, unknown>): Record<string, number> {
  const settings: Record<string, number> = {}
  for (const [name, key] of Object.entries(SETTINGS)) {
    const value = given[name]
    if (typeof value === 'number') settings[key] = value
  }
  return settings
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
