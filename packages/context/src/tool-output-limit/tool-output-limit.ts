import {
  isRecord,
  isToolPart,
  type MessageList,
  type OptionNames,
  type ProcessExecutionArgs,
  type ProcessExecutionResult,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type Processor,
  type ProcessorArgs,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  type ProcessToolResultArgs,
  type ProcessToolResultResult,
  promptLimit,
  requireCount,
  requireOneOf,
  requireOptions,
  type ToolSet,
  type WarmUpArgs,
} from '@millrace/core'
import type { CountText } from '@millrace/tokens'
import { fitText } from '../content/fit-text.ts'
import { TokenCounters } from '../window/token-counters.ts'
import { characterBoundary, gapIn, type Kept, tokensUpTo } from './cut-text.ts'
import {
  READ_TOOL_OUTPUT,
  type ReadToolOutputInput,
  type ReadToolOutputOutput,
  readToolOutput,
} from './read-tool-output.ts'
import { type ShownOutput, shownOutput, shownView } from './shown-output.ts'
import { InMemoryToolOutputs, type ToolOutputKey, type ToolOutputStore } from './tool-output-store.ts'

export interface ToolOutputLimitOptions {
  /** Identifies the processor in results, events and errors. Default: `'tool-output-limit'`. */
  readonly id?: string
  /**
   * The maximum number of tokens of one output. Default: 8,000, and at most a quarter of the prompt that fits
   * into the context window.
   */
  readonly maxTokens?: number
  /** Which part is kept: `'head'`, `'tail'`, or half of each. Default: `'head-tail'`. */
  readonly keep?: Kept
  /**
   * Where outputs that were cut are stored. `false`: they are not stored, and there is no `read_tool_output`.
   * Default: the memory of this process.
   */
  readonly store?: ToolOutputStore | false
  /** Counts the tokens of a text. Default: exact for OpenAI's models, otherwise an estimate. */
  readonly countTokens?: CountText
  /** Called for each output that was cut. */
  readonly onCut?: (event: ToolOutputCutEvent) => void
  /** `'skip'` continues the run if the processor fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const TOOL_OUTPUT_LIMIT_OPTIONS: OptionNames<ToolOutputLimitOptions> = {
  id: 'optional',
  maxTokens: 'optional',
  keep: 'optional',
  store: 'optional',
  countTokens: 'optional',
  onCut: 'optional',
  onError: 'optional',
}

export interface ToolOutputCutEvent {
  readonly processorId: string
  readonly stepNumber: number
  readonly toolCallId: string
  readonly toolName: string
  /** The length of the whole output, and of the part that is kept, in characters. */
  readonly total: number
  readonly kept: number
}

/** The state of a run. JSON. */
interface LimitState {
  /** The id of the run in the store. */
  run?: string
  modelId?: string
  /** The tools of the step, and those that have a `toModelOutput`. */
  tools?: string
  views?: string[]
  /** The maximum number of tokens of a prompt. */
  limit?: number
  /** How many tokens are left for the outputs of the current step. */
  step?: { number: number; left: number; answered: number }
}

const MAX_TOKENS = 8_000
/** The maximum share of a prompt for one output, and for all outputs of a step. */
const SHARE = 0.25
const STEP_SHARE = 0.5
/**
 * Tokens reserved for the note about the part that is left out, and for the envelope of a part that is read.
 */
const NOTE_TOKENS = 80
/** The minimum number of tokens for an output that shares the room with many others. */
const MIN_TOKENS = 20
/** Characters per available token of a part that is read. */
const CHARACTERS_PER_TOKEN = 8

/**
 * Shortens tool outputs before they enter the transcript, and gives the model a tool to read what was left
 * out. Error texts and the results of a tool's `toModelOutput` are shortened too.
 *
 * Pass `limit.tools` to the agent: a run can then be suspended while such a call is pending. Put the
 * processor after guards: it then stores what guards have left of an output, and what is read again passes
 * the guards again.
 *
 * @example
 * const limit = new ToolOutputLimit()
 * const agent = new Agent({ model, tools: { ...limit.tools, search }, processors: [guard, limit] })
 */
export class ToolOutputLimit implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  /** The tool that reads what was left out. */
  readonly tools: ToolSet
  readonly #maxTokens: number | undefined
  readonly #keep: Kept
  readonly #store: ToolOutputStore | undefined
  readonly #counters: TokenCounters
  readonly #onCut: ((event: ToolOutputCutEvent) => void) | undefined

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: ToolOutputLimitOptions = {}) {
    const options = requireOptions('ToolOutputLimit', given, TOOL_OUTPUT_LIMIT_OPTIONS)
    const { id = 'tool-output-limit', onError = 'fail', maxTokens, keep = 'head-tail', store } = options
    requireOneOf('keep', keep, ['head', 'tail', 'head-tail'])
    this.id = id
    this.onError = onError
    this.#maxTokens = maxTokens === undefined ? undefined : requireCount('maxTokens', maxTokens, 1)
    this.#keep = keep
    this.#store = store === false ? undefined : (store ?? new InMemoryToolOutputs())
    this.#counters = new TokenCounters(options.countTokens)
    this.#onCut = options.onCut
    this.tools = this.#store ? { [READ_TOOL_OUTPUT]: readToolOutput } : {}
  }

  /** Loads the table of tokens. */
  warmUp({ model }: WarmUpArgs): Promise<void> {
    return this.#counters.warmUp(model)
  }

  processInputStep(args: ProcessInputStepArgs): ProcessInputStepResult | undefined {
    const { tools, activeTools, model } = args
    const state = args.state as LimitState
    const limit = promptLimit(args)
    state.modelId = model.modelId
    if (limit !== undefined) state.limit = limit
    // Only compares names, because reading a tool copies it.
    const names = Reflect.ownKeys(tools).join('\n')
    if (state.tools !== names) {
      state.tools = names
      state.views = Object.keys(tools).filter((name) => tools[name]?.toModelOutput)
    }
    if (!this.#store) return undefined
    const isMissing = !Reflect.has(tools, READ_TOOL_OUTPUT)
    const isHidden = activeTools !== undefined && !activeTools.includes(READ_TOOL_OUTPUT)
    if (!isMissing && !isHidden) return undefined
    return {
      ...(isMissing && { tools: { ...tools, ...this.tools } }),
      ...(isHidden && { activeTools: [...activeTools, READ_TOOL_OUTPUT] }),
    }
  }

  async processToolCall(args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
    const { toolName, input } = args.toolCall
    // The application may have a tool with the same name.
    const isOwn = toolName === READ_TOOL_OUTPUT && args.tool.inputSchema === readToolOutput.inputSchema
    if (!isOwn || !this.#store) return undefined
    // Another processor has replaced the input; the agent rejects it during validation.
    if (!isRecord(input) || typeof input.id !== 'string') return undefined
    return { output: await this.#read(input as unknown as ReadToolOutputInput, args) }
  }

  async processToolResult(args: ProcessToolResultArgs): Promise<ProcessToolResultResult> {
    const { toolCall, status, output, error, preliminary, messageList, stepNumber } = args
    if (preliminary || status === 'denied') return undefined
    const state = args.state as LimitState
    const isView = status === 'success' && state.views?.includes(toolCall.toolName)
    const count = this.#countFor(state)
    const step = stepOf(state, stepNumber)
    const waiting = Math.max(1, callsOf(messageList, toolCall.toolCallId) - step.answered)
    const room = Math.max(MIN_TOKENS, Math.min(this.#maxTokensOf(state), Math.floor(step.left / waiting)))
    // The result of `toModelOutput` is cut later, in `processExecution`.
    const shown = shownOutput(isView ? '' : status === 'success' ? output : (error ?? ''))
    const tokens = await tokensUpTo(shown.text, room, count)
    step.answered++
    step.left = Math.max(0, step.left - Math.min(tokens, room))
    state.step = step
    if (tokens <= room) return undefined
    if (status === 'success' && toolCall.toolName === READ_TOOL_OUTPUT && isPart(output)) {
      return { output: await shortened(output, room, count) }
    }
    const cut = await this.#cut(shown, { room, count, args })
    return status === 'success' ? { output: shown.withText(cut) } : { error: cut }
  }

  /** Cuts the result of a tool's `toModelOutput`. The output itself is not changed. */
  async processExecution(args: ProcessExecutionArgs): Promise<ProcessExecutionResult> {
    if (args.direction !== 'view') return undefined
    const shown = shownView(args.value)
    if (!shown) return undefined
    const state = args.state as LimitState
    const count = this.#countFor(state)
    const room = this.#maxTokensOf(state)
    if ((await tokensUpTo(shown.text, room, count)) <= room) return undefined
    return { value: shown.withText(await this.#cut(shown, { room, count, args })) }
  }

  #maxTokensOf({ limit }: LimitState): number {
    if (this.#maxTokens !== undefined) return this.#maxTokens
    return limit === undefined ? MAX_TOKENS : Math.min(MAX_TOKENS, Math.floor(SHARE * limit))
  }

  #countFor({ modelId = '' }: LimitState): CountText {
    return this.#counters.forText({ modelId })
  }

  /** A text without its middle, and a note in its place. */
  async #cut(
    { text }: ShownOutput,
    {
      room,
      count,
      args,
    }: { room: number; count: CountText; args: ProcessToolResultArgs | ProcessExecutionArgs },
  ): Promise<string> {
    const { toolCallId, toolName } = args.toolCall
    const limit = Math.max(0, room - NOTE_TOKENS)
    const { start, end } = await gapIn(text, { limit, keep: this.#keep, count })
    await this.#store?.save(keyOf(args, toolCallId), text)
    const kept = text.length - (end - start)
    this.#onCut?.({
      processorId: this.id,
      stepNumber: args.stepNumber,
      toolCallId,
      toolName,
      total: text.length,
      kept,
    })
    const call = JSON.stringify({ id: toolCallId, offset: start })
    const how = this.#store ? ` ${READ_TOOL_OUTPUT}(${call}) reads on.` : ''
    const note = `[Characters ${start} to ${end} of ${text.length} are left out.${how}]`
    return [text.slice(0, start), note, text.slice(end)].filter((one) => one !== '').join('\n')
  }

  async #read(
    { id, offset = 0, length = Number.POSITIVE_INFINITY }: ReadToolOutputInput,
    args: ProcessToolCallArgs,
  ): Promise<ReadToolOutputOutput> {
    const state = args.state as LimitState
    const room = this.#maxTokensOf(state)
    // Reads one more character on each side, to detect a surrogate pair at the boundary.
    const from = Math.max(0, offset - 1)
    const most = Math.min(length, room * CHARACTERS_PER_TOKEN) + 2
    const part = await this.#store?.read(keyOf(args, id), { offset: from, length: most })
    if (!part) return { error: `There is no output '${id.slice(0, 100)}' to be read, or not any more.` }
    const begin = characterBoundary(part.text, Math.min(offset - from, part.text.length))
    const end = characterBoundary(part.text, Math.min(part.text.length, begin + most - 2))
    const text = part.text.slice(begin, end)
    const place = (within: number): number => Math.min(part.length, from + within)
    return { id, offset: place(begin), end: place(end), total: part.length, text }
  }
}

type Part = Extract<ReadToolOutputOutput, { text: string }>

function isPart(output: unknown): output is Part {
  return isRecord(output) && typeof output.text === 'string' && typeof output.offset === 'number'
}

/** As much of the beginning of a part as fits. */
async function shortened(part: Part, room: number, count: CountText): Promise<Part> {
  // The text is sent as JSON, which takes more tokens because quotes and line breaks are escaped.
  const escaped: CountText = (text) => count(JSON.stringify(text))
  const text = await fitText(part.text, Math.max(1, room - NOTE_TOKENS), escaped)
  return { ...part, end: part.offset + text.length, text }
}

function keyOf(
  { state, requestContext }: Pick<ProcessorArgs, 'state' | 'requestContext'>,
  toolCallId: string,
): ToolOutputKey {
  const own = state as LimitState
  own.run ??= crypto.randomUUID()
  return { run: own.run, toolCallId, resourceId: requestContext.resourceId }
}

function stepOf({ step, limit }: LimitState, number: number): NonNullable<LimitState['step']> {
  if (step?.number === number) return { ...step }
  const left = limit === undefined ? Number.MAX_SAFE_INTEGER : Math.floor(STEP_SHARE * limit)
  return { number, left, answered: 0 }
}

/** The number of tool calls in the same step. They share the room. */
function callsOf(messageList: MessageList, toolCallId: string): number {
  for (const { content } of messageList.get('response').reverse()) {
    const { parts } = content
    const place = parts.findLastIndex((part) => isToolPart(part) && part.toolCallId === toolCallId)
    if (place === -1) continue
    const first = parts.slice(0, place).findLastIndex(({ type }) => type === 'step-start')
    const next = parts.findIndex(({ type }, index) => index > place && type === 'step-start')
    return parts.slice(first + 1, next === -1 ? parts.length : next).filter(isToolPart).length
  }
  return 1
}
