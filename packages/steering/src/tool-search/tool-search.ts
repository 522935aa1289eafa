import {
  isToolPart,
  type Message,
  MillraceError,
  type OptionNames,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type Processor,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  requireCount,
  requireOptions,
  type Schema,
  type ToolSet,
  toolNameOf,
} from '@millrace/core'
import { ToolIndex } from './tool-index.ts'

export interface ToolSearchOptions {
  /** Identifies the processor in results, events and errors. Default: `'tool-search'`. */
  readonly id?: string
  /** The tools that a search can find. */
  readonly tools: ToolSet
  /** The maximum number of tools that one search finds. Default: 5. */
  readonly limit?: number
  /** The name of the search tool. Default: `'search_tools'`. */
  readonly searchToolName?: string
}

const TOOL_SEARCH_OPTIONS: OptionNames<ToolSearchOptions> = {
  id: 'optional',
  tools: 'required',
  limit: 'optional',
  searchToolName: 'optional',
}

/** The result of a search. The model can call the named tools from the next step on. */
export interface ToolSearchOutput {
  readonly tools: readonly { readonly name: string; readonly description?: string }[]
}

/**
 * Shows the model one tool that searches for tools, in place of all of them. The tools that a search finds are active
 * from the next step on, until the run ends. Tools that were called earlier in the conversation are active from the
 * start. Tools are ranked by words (BM25, over names, descriptions and parameters), without a model.
 *
 * Pass `search.tools` (the tools and the search) to the agent, so that a run can be suspended while a search is open.
 *
 * @example
 * const search = new ToolSearch({ tools: hundredsOfTools })
 * const agent = new Agent({ model, tools: { ...search.tools, always }, processors: [search] })
 */
export class ToolSearch implements Processor {
  readonly id: string
  /** The tools that can be found, and the search tool. */
  readonly tools: ToolSet
  readonly #index: ToolIndex
  readonly #limit: number
  readonly #searchToolName: string

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: ToolSearchOptions) {
    const {
      id = 'tool-search',
      tools,
      limit = 5,
      searchToolName = 'search_tools',
    } = requireOptions('ToolSearch', options, TOOL_SEARCH_OPTIONS)
    if (Object.hasOwn(tools, searchToolName)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `One of the tools is named '${searchToolName}', as the search is. Pass another searchToolName.`,
      )
    }
    this.id = id
    this.#limit = requireCount('limit', limit, 1)
    this.#searchToolName = searchToolName
    this.#index = new ToolIndex(tools)
    const count = Object.keys(tools).length
    this.tools = {
      ...tools,
      [searchToolName]: {
        description: `Finds tools: ${count} more are there than are shown. Say in a few words what the tool should do. Those found can be called afterwards.`,
        inputSchema: querySchema,
        execute() {
          throw new MillraceError(
            'CONFIG_INVALID',
            `'${searchToolName}' was called without its processor. Put the ToolSearch into the agent's processors.`,
          )
        },
      },
    }
  }

  processInputStep(args: ProcessInputStepArgs): ProcessInputStepResult {
    const { tools, activeTools, toolChoice, messages, state } = args
    const found = new Set(foundIn(state) ?? this.#calledIn(messages))
    state.found = [...found]
    if (typeof toolChoice === 'object') found.add(toolChoice.toolName)
    const isShown = (name: string): boolean => !this.#index.has(name) || found.has(name)
    const isMissing = (name: string): boolean => !Object.hasOwn(tools, name)
    const missing = Object.keys(this.tools).filter(isMissing)
    return {
      ...(missing.length > 0 && { tools: { ...this.tools, ...tools } }),
      activeTools: [...(activeTools ?? Object.keys(tools)), ...missing].filter(isShown),
    }
  }

  processToolCall({ toolCall, state }: ProcessToolCallArgs): ProcessToolCallResult {
    if (toolCall.toolName !== this.#searchToolName) return undefined
    const { query } = toolCall.input as { query?: unknown }
    // Another processor replaced the query by an invalid value, which the agent's validation will refuse.
    if (typeof query !== 'string') return undefined
    const tools = this.#index.search(query, this.#limit)
    state.found = [...new Set([...(foundIn(state) ?? []), ...tools.map(({ name }) => name)])]
    return { output: { tools } satisfies ToolSearchOutput }
  }

  #calledIn(messages: readonly Message[]): string[] {
    const parts = messages.flatMap(({ content }) => content.parts.filter(isToolPart))
    return parts.map(toolNameOf).filter((name) => this.#index.has(name))
  }
}

function foundIn({ found }: Record<string, unknown>): string[] | undefined {
  return found as string[] | undefined
}

const querySchema: Schema<{ query: string }> = {
  '~standard': {
    version: 1,
    vendor: 'millrace',
    validate(value) {
      const { query } = (value ?? {}) as { query?: unknown }
      return typeof query === 'string'
        ? { value: { query } }
        : { issues: [{ message: 'Expected a string.', path: ['query'] }] }
    },
    jsonSchema: {
      input: () => ({
        type: 'object',
        properties: { query: { type: 'string', description: 'What the tool should do, in a few words.' } },
        required: ['query'],
        additionalProperties: false,
      }),
    },
  },
}
