import type { LanguageModelV4StreamPart, SharedV4Warning } from '@ai-sdk/provider'
import { copyData } from '../copy-data.ts'
import { toDataUrl } from '../messages/data-url.ts'
import type { ProviderMetadata } from '../messages/message.ts'
import type { ChunkType, StepFinishChunk } from '../run/chunk.ts'
import type { StepResponse } from '../run/result.ts'
import type { Step } from '../run/step.ts'
import { ownTool, type ToolSet } from '../tools/tool.ts'
import { emptyUsage, usageFromModel } from '../usage.ts'

/**
 * Turns a provider's stream parts into chunks. What describes the response as a whole (usage, finish reason, ids,
 * warnings) is gathered for the last chunk.
 */
export class ChunkReader {
  readonly #step: Step
  readonly #tools: ToolSet
  readonly #usedIds: Set<string>
  /** Ids of calls in this response whose own id was used before in the run, by the model's id. */
  readonly #renamed = new Map<string, string>()
  /** Calls whose input is being streamed: the call itself will come with the same id. */
  readonly #started = new Set<string>()
  /** Calls the provider executes itself, as the model made them: a hook may still hold them back when their results come. */
  readonly #executed = new Map<string, { input: unknown; dynamic?: boolean }>()

  readonly #finish: StepFinishChunk & { response: StepResponse; warnings: SharedV4Warning[] }

  /** @param options.usedIds Ids of all calls of the run so far; grows as calls are read. */
  constructor(
    step: Step,
    tools: ToolSet,
    { usedIds, headers }: { usedIds: Set<string>; headers: Record<string, string> | undefined },
  ) {
    this.#step = step
    this.#tools = tools
    this.#usedIds = usedIds
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
    return this.#finish
  }

  read(part: LanguageModelV4StreamPart): ChunkType | undefined {
    switch (part.type) {
      case 'text-delta': {
        const { id, delta, providerMetadata } = part
        return providerMetadata
          ? { type: 'text-delta', id, textDelta: delta, ...metadataOf(part) }
          : { type: 'text-delta', id, textDelta: delta }
      }
      case 'reasoning-delta':
        return { type: part.type, id: part.id, textDelta: part.delta, ...metadataOf(part) }
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-end':
        return { type: part.type, id: part.id, ...metadataOf(part) }
      case 'tool-input-start': {
        const { id } = part
        const toolCallId = part.providerExecuted ? id : this.#claimId(id)
        this.#started.add(id)
        const { inputEncoding } = part
        return {
          type: part.type,
          toolCallId,
          ...(inputEncoding && { inputEncoding }),
          ...this.#describe(part),
        }
      }
      case 'tool-input-delta':
        return {
          type: part.type,
          toolCallId: this.#idOf(part.id),
          inputTextDelta: part.delta,
          ...metadataOf(part),
        }
      case 'tool-input-end':
        return { type: part.type, toolCallId: this.#idOf(part.id), ...metadataOf(part) }
      case 'tool-call': {
        const { toolCallId: id, providerExecuted, input } = part
        const toolCallId = this.#started.delete(id) || providerExecuted ? this.#idOf(id) : this.#claimId(id)
        const call = { ...this.#describe(part), ...parseInput(input) }
        if (providerExecuted) this.#executed.set(toolCallId, call)
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
        this.#finish.finishReason = part.finishReason.unified
        this.#finish.usage = usageFromModel(part.usage)
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
          details: `The provider waits for the approval of the call '${part.toolCallId}', which it executes itself, and gets none. Let it execute without approval, or give the agent the tool.`,
        })
        return undefined
      case 'ping':
      case 'raw':
      case 'error':
        return undefined
      default:
        part satisfies never
        return undefined
    }
  }

  #toolResult(part: Extract<LanguageModelV4StreamPart, { type: 'tool-result' }>): ChunkType {
    const { toolCallId, toolName, result, isError, preliminary } = part
    const known = this.#step.toolCalls.find((call) => call.toolCallId === toolCallId)
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

  /** Some models number their calls anew in every response; in a transcript, an id names one call. */
  #claimId(id: string): string {
    let unused = id
    for (let count = 2; this.#usedIds.has(unused); count++) unused = `${id}-${count}`
    this.#usedIds.add(unused)
    this.#renamed.set(id, unused)
    return unused
  }

  #idOf(id: string): string {
    return this.#renamed.get(id) ?? id
  }
}

type CallDescription = Omit<Extract<ChunkType, { type: 'tool-input-start' }>, 'type' | 'toolCallId'>

/** Input as JSON; an empty string is what some providers send for a tool without parameters. */
function parseInput(input: string): { input: unknown; inputError?: string } {
  if (input.trim() === '') return { input: {} }
  try {
    return { input: JSON.parse(input) }
  } catch (error) {
    return { input, inputError: error instanceof Error ? error.message : String(error) }
  }
}

/** A copy: models that repeat answers, such as cached ones, may have one object for all runs. */
function metadataOf({ providerMetadata }: { providerMetadata?: ProviderMetadata }): {
  providerMetadata?: ProviderMetadata
} {
  return providerMetadata ? { providerMetadata: copyData(providerMetadata) } : {}
}
