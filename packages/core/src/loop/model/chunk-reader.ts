import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { copyData } from '../../copy-data.ts'
import { toDataUrl } from '../../messages/data-url.ts'
import type { ProviderMetadata } from '../../messages/message.ts'
import type { Chunk, StepFinishChunk } from '../../results/chunk.ts'
import type { FinishReason, StepResponse } from '../../results/outcome.ts'
import type { Step } from '../../run/step.ts'
import { ownTool, type ToolSet } from '../../tools/tool.ts'
import { emptyUsage, usageFromModel } from '../../usage.ts'

export interface ChunkReaderOptions {
  /** Ids of all tool calls of the run so far. Ids are added as calls are read. */
  usedIds: Set<string>
  /** Whether the transcript has a call with this id that the agent or its client executes. */
  isOwnCall: (id: string) => boolean
  headers: Record<string, string> | undefined
}

/**
 * Turns a provider's stream parts into chunks. Data about the whole response (usage, finish reason, ids, warnings) is
 * collected in the last chunk.
 */
export class ChunkReader {
  readonly #step: Step
  readonly #tools: ToolSet
  readonly #usedIds: Set<string>
  /** New ids of this response's calls whose id was already used in the run, by the id that the model sent. */
  readonly #renamed = new Map<string, string>()
  /**
   * Calls whose input is being streamed. The call follows with the same id, which its start may already have claimed.
   */
  readonly #started = new Map<string, { isClaimed: boolean }>()
  /** Calls that the provider executes, as the model sent them. A hook may hold them back until their results arrive. */
  readonly #executed = new Map<string, { input: unknown; dynamic?: boolean }>()

  /** Calls of this response that the provider does not execute. */
  readonly #own = new Set<string>()

  /** Open text and reasoning parts, and the last text part that was opened. */
  readonly #open = new Set<string>()
  #openText: string | undefined
  #finished = false
  readonly #finish: StepFinishChunk & { response: StepResponse; warnings: SharedV4Warning[] }

  readonly #isOwnCall: (id: string) => boolean

  constructor(step: Step, tools: ToolSet, { usedIds, isOwnCall, headers }: ChunkReaderOptions) {
    this.#step = step
    this.#tools = tools
    this.#usedIds = usedIds
    this.#isOwnCall = isOwnCall
    this.#finish = {
      type: 'step-finish',
      stepNumber: step.number,
      finishReason: 'interrupted',
      usage: emptyUsage(),
      response: headers ? { headers } : {},
      warnings: [],
    }
  }

  /** The last chunk of the response. */
  finish(): StepFinishChunk {
    if (!this.#finished) this.#warn('The response has no finish part. It may be incomplete.')
    return this.#finish
  }

  read(part: LanguageModelV4StreamPart): Chunk | undefined {
    switch (part?.type) {
      case 'text-delta': {
        const { id, providerMetadata } = part
        const textDelta = typeof part.delta === 'string' ? part.delta : this.#textOf(part)
        if (textDelta === undefined) return undefined
        if (id !== this.#openText && !this.#open.has(`text ${id}`)) this.#warnNotBegun(part)
        return providerMetadata
          ? { type: 'text-delta', id, textDelta, ...metadataOf(part) }
          : { type: 'text-delta', id, textDelta }
      }
      case 'reasoning-delta': {
        const textDelta = this.#textOf(part)
        if (textDelta === undefined) return undefined
        if (!this.#open.has(`reasoning ${part.id}`)) this.#warnNotBegun(part)
        return { type: part.type, id: part.id, textDelta, ...metadataOf(part) }
      }
      case 'text-start':
        this.#openText = part.id
        this.#open.add(`text ${part.id}`)
        return { type: part.type, id: part.id, ...metadataOf(part) }
      case 'reasoning-start':
        this.#open.add(`reasoning ${part.id}`)
        return { type: part.type, id: part.id, ...metadataOf(part) }
      case 'text-end':
        this.#openText = undefined
        this.#open.delete(`text ${part.id}`)
        return { type: part.type, id: part.id, ...metadataOf(part) }
      case 'reasoning-end':
        this.#open.delete(`reasoning ${part.id}`)
        return { type: part.type, id: part.id, ...metadataOf(part) }
      case 'tool-input-start': {
        const { id } = part
        checkCall(part.type, id, part.toolName)
        const toolCallId = part.providerExecuted ? id : this.#claimId(id)
        this.#started.set(id, { isClaimed: !part.providerExecuted })
        const { inputEncoding } = part
        return {
          type: part.type,
          toolCallId,
          ...(inputEncoding && { inputEncoding }),
          ...this.#describe(part),
        }
      }
      case 'tool-input-delta': {
        const inputTextDelta = this.#textOf(part)
        if (inputTextDelta === undefined) return undefined
        if (!this.#started.has(part.id)) this.#warnNotBegun(part)
        return { type: part.type, toolCallId: this.#idOf(part.id), inputTextDelta, ...metadataOf(part) }
      }
      case 'tool-input-end':
        return { type: part.type, toolCallId: this.#idOf(part.id), ...metadataOf(part) }
      case 'tool-call': {
        const { toolCallId: id, providerExecuted, input } = part
        checkCall(part.type, id, part.toolName)
        const isClaimed = this.#started.get(id)?.isClaimed === true
        this.#started.delete(id)
        const toolCallId = isClaimed || providerExecuted ? this.#idOf(id) : this.#claimId(id)
        const call = { ...this.#describe(part), ...this.#parseInput(input) }
        if (providerExecuted) {
          this.#executed.set(toolCallId, call)
          this.#usedIds.add(toolCallId)
        } else this.#own.add(toolCallId)
        return { type: part.type, toolCallId, ...call }
      }
      case 'tool-result':
        return this.#toolResult(part)
      case 'file':
      case 'reasoning-file': {
        const { type, mediaType, data } = part
        const url =
          data.type === 'url' ? (data.originalUrl ?? data.url.href) : toDataUrl(mediaType, data.data)
        return { type, mediaType, url, ...metadataOf(part) }
      }
      case 'source':
        return copyData(part)
      case 'custom':
        return { type: part.type, kind: part.kind, ...metadataOf(part) }
      case 'finish':
        this.#finished = true
        this.#finish.finishReason = this.#readFinishReason(part.finishReason)
        this.#finish.usage = usageFromModel(part.usage)
        if (!hasCounts(part.usage)) this.#warn('The provider sent a usage without counts of tokens.')
        if (part.providerMetadata) this.#finish.providerMetadata = copyData(part.providerMetadata)
        return undefined
      case 'stream-start':
        this.#finish.warnings.push(...copyData(part.warnings))
        return undefined
      case 'response-metadata': {
        const { id, modelId, timestamp } = part
        Object.assign(this.#finish.response, {
          ...(id && { id }),
          ...(modelId && { modelId }),
          ...(timestamp && { timestamp: copyData(timestamp) }),
        })
        return undefined
      }
      case 'tool-approval-request':
        this.#finish.warnings.push({
          type: 'unsupported',
          feature: 'tool-approval-request',
          details: `The provider requests approval of its own call '${part.toolCallId}'. Let it execute without approval, or add the tool to the agent.`,
        })
        return undefined
      case 'ping':
      case 'raw':
      case 'error':
        return undefined
      default:
        part satisfies never
        this.#warn(
          `The provider sent a part of the unknown type '${nameOf((part as { type?: unknown } | null)?.type)}'.`,
        )
        return undefined
    }
  }

  /** The text of a delta. Numbers, booleans and bigints are converted; other types are dropped with a warning. */
  #textOf({ type, delta }: { type: string; delta: unknown }): string | undefined {
    if (typeof delta === 'string') return delta
    const isText = typeof delta === 'number' || typeof delta === 'boolean' || typeof delta === 'bigint'
    const outcome = isText ? 'used as text' : 'ignored'
    this.#warn(
      `The provider sent a ${type} whose text is of the type ${nameOf(typeof delta)}: it was ${outcome}.`,
    )
    return isText ? String(delta) : undefined
  }

  #warnNotBegun({ type }: { type: string }): void {
    this.#warn(`The provider sent a ${type} for a part that is not open.`)
  }

  #readFinishReason(reason: LanguageModelV4FinishReason | FinishReason): FinishReason {
    const unified = typeof reason === 'string' ? reason : reason?.unified
    if (FINISH_REASONS.has(unified)) return unified
    this.#warn("The provider sent an unknown finish reason. It was read as 'other'.")
    return 'other'
  }

  /** Parses a call's input. Some providers send an empty string for a tool without parameters. */
  #parseInput(input: unknown): { input: unknown; inputError?: string } {
    if (typeof input !== 'string') {
      this.#warn('The provider sent the input of a tool call as a value, not as JSON.')
      return { input: input ?? {} }
    }
    if (input.trim() === '') return { input: {} }
    try {
      const value: unknown = JSON.parse(input)
      if (input.length < 2 * MAX_LEVELS || !isDeeperThan(value, MAX_LEVELS)) return { input: value }
      return { input, inputError: `It is nested deeper than ${MAX_LEVELS} levels.` }
    } catch (error) {
      return { input, inputError: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Adds a warning, at most once per response: a provider that makes an error once often repeats it. */
  #warn(message: string): void {
    const { warnings } = this.#finish
    if (warnings.some((known) => known.type === 'other' && known.message === message)) return
    warnings.push({ type: 'other', message })
  }

  #toolResult(part: Extract<LanguageModelV4StreamPart, { type: 'tool-result' }>): Chunk | undefined {
    const { toolCallId, toolName, result, isError, preliminary } = part
    checkCall(part.type, toolCallId, toolName)
    if (this.#own.has(toolCallId) || this.#isOwnCall(toolCallId)) {
      this.#warn('The provider sent a result of a call that is not its own. It was ignored.')
      return undefined
    }
    // A later call of the agent's own tools with this id is a different call.
    this.#usedIds.add(toolCallId)
    const known = this.#step.state.toolCalls.find((call) => call.toolCallId === toolCallId)
    const call = known ?? this.#executed.get(toolCallId)
    const base = {
      toolCallId,
      toolName,
      input: call?.input,
      providerExecuted: true,
      ...((part.dynamic || call?.dynamic) && { dynamic: true }),
      ...metadataOf(part),
    }
    if (isError)
      return {
        type: 'tool-error',
        ...base,
        error: typeof result === 'string' ? result : JSON.stringify(result),
      }
    return { type: 'tool-result', ...base, output: copyData(result), ...(preliminary && { preliminary }) }
  }

  #describe(part: {
    toolName: string
    providerExecuted?: boolean
    dynamic?: boolean
    providerMetadata?: ProviderMetadata
  }): CallDescription {
    const { toolName, providerExecuted } = part
    const tool = ownTool(this.#tools, toolName)
    return {
      toolName,
      ...(tool?.title !== undefined && { title: tool.title }),
      ...(tool?.metadata && { toolMetadata: copyData(tool.metadata) }),
      ...(providerExecuted && { providerExecuted }),
      ...((part.dynamic || !tool || tool.type === 'dynamic') && { dynamic: true }),
      ...metadataOf(part),
    }
  }

  /**
   * Makes a call's id unique within the run: some models number their calls from 1 in every response. A `/` separates
   * the ids of calls of several agents, so no id has one.
   */
  #claimId(id: string): string {
    const own = id.replaceAll('/', '-')
    let unused = own
    for (let count = 2; this.#usedIds.has(unused); count++) unused = `${own}-${count}`
    this.#usedIds.add(unused)
    this.#renamed.set(id, unused)
    return unused
  }

  #idOf(id: string): string {
    return this.#renamed.get(id) ?? id
  }
}

type CallDescription = Omit<Extract<Chunk, { type: 'tool-input-start' }>, 'type' | 'toolCallId'>

/** Maximum levels of a call's input. Deeper values are slow to garbage-collect, and cannot be written as JSON again. */
const MAX_LEVELS = 1_000

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((field) => isDeeperThan(field, levels - 1))
}

const FINISH_REASONS: ReadonlySet<FinishReason> = new Set([
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'interrupted',
  'other',
])

/** @throws Error if a call has no id or no tool name */
function checkCall(type: string, id: unknown, toolName: unknown): void {
  if (typeof id !== 'string') throw new Error(`The provider sent a ${type} without the id of its call.`)
  if (typeof toolName !== 'string')
    throw new Error(`The provider sent a ${type} without the name of its tool.`)
}

function hasCounts(usage: unknown): boolean {
  const { inputTokens, outputTokens } = (usage ?? {}) as Partial<LanguageModelV4Usage>
  return typeof inputTokens === 'object' && typeof outputTokens === 'object'
}

/** The start of a type name, for an error message. */
function nameOf(type: unknown): string {
  return String(type).slice(0, 40)
}

/** Copies the metadata: a model that caches answers may return the same object in every run. */
function metadataOf({ providerMetadata }: { providerMetadata?: ProviderMetadata }): {
  providerMetadata?: ProviderMetadata
} {
  return providerMetadata ? { providerMetadata: copyData(providerMetadata) } : {}
}
