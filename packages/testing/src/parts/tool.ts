import type { JSONValue, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { type OptionNames, requireOptions } from '@millrace/core'
import { chunksOf } from '../chunking.ts'
import { ScriptError } from '../script-error.ts'
import type { ScriptPart } from '../script-part.ts'

export interface ToolCallOptions {
  /** Default: `call-1`, `call-2`, … over all calls of the model. */
  id?: string
  /** The input as text, instead of `input`: for invalid JSON. */
  rawInput?: string
  /** The deltas of the input; joined, they must be the input. */
  chunks?: readonly string[]
  /** Characters per input delta, by code point. Default: split after white space. */
  chunkSize?: number
  /** `false` sends only `tool-call`, without `tool-input-*` parts. Default: `true`. */
  streamInput?: boolean
  /** `text` streams a string input without JSON encoding; `tool-call` still has it as JSON. Default: `json`. */
  inputEncoding?: 'json' | 'text'
  /** Whether the provider executes the tool. Default: `false`. */
  providerExecuted?: boolean
  /** Whether the tool is dynamic. Default: `false`. */
  dynamic?: boolean
  /** Sent with `tool-call`. */
  providerMetadata?: SharedV4ProviderMetadata
}

const TOOL_CALL_OPTIONS: OptionNames<ToolCallOptions> = {
  id: 'optional',
  rawInput: 'optional',
  chunks: 'optional',
  chunkSize: 'optional',
  streamInput: 'optional',
  inputEncoding: 'optional',
  providerExecuted: 'optional',
  dynamic: 'optional',
  providerMetadata: 'optional',
}

/** A tool call: `tool-input-start`, its deltas, `tool-input-end`, then `tool-call` with the input as JSON. */
export function toolCall(toolName: string, input: unknown = {}, given: ToolCallOptions = {}): ScriptPart {
  const options = requireOptions('toolCall()', given, TOOL_CALL_OPTIONS)
  const {
    id,
    rawInput,
    chunks,
    chunkSize,
    streamInput = true,
    inputEncoding,
    providerMetadata,
    ...flags
  } = options
  const json = rawInput ?? encode(toolName, input)
  const streamed = inputEncoding === 'text' && typeof input === 'string' ? input : json
  const deltas = chunksOf(chunks ?? streamed, chunkSize)
  if (deltas.join('') !== streamed) {
    throw new ScriptError(`The chunks of toolCall('${toolName}'), joined, are not its input: ${streamed}`)
  }
  return {
    writeTo(turn) {
      const toolCallId = id ?? turn.nextCallId()
      if (streamInput) {
        const encoding = inputEncoding === undefined ? {} : { inputEncoding }
        turn.emit({ type: 'tool-input-start', id: toolCallId, toolName, ...encoding, ...flags })
        for (const delta of deltas) turn.emit({ type: 'tool-input-delta', id: toolCallId, delta })
        turn.emit({ type: 'tool-input-end', id: toolCallId })
      }
      const metadata = providerMetadata === undefined ? {} : { providerMetadata }
      turn.emit({ type: 'tool-call', toolCallId, toolName, input: json, ...flags, ...metadata })
    },
  }
}

export interface ToolResultOptions {
  /** The id of the call. Default: the latest provider-executed call of that tool in the turn. */
  id?: string
  isError?: boolean
  /** Whether more results of the same call follow. */
  preliminary?: boolean
  dynamic?: boolean
  providerMetadata?: SharedV4ProviderMetadata
}

const TOOL_RESULT_OPTIONS: OptionNames<ToolResultOptions> = {
  id: 'optional',
  isError: 'optional',
  preliminary: 'optional',
  dynamic: 'optional',
  providerMetadata: 'optional',
}

/** The result of a tool call that the provider executed. */
export function toolResult(
  toolName: string,
  result: NonNullable<JSONValue>,
  given: ToolResultOptions = {},
): ScriptPart {
  const options = requireOptions('toolResult()', given, TOOL_RESULT_OPTIONS)
  const { id, ...fields } = options
  return {
    writeTo(turn) {
      const toolCallId = id ?? turn.providerCallId(toolName)
      turn.emit({ type: 'tool-result', toolCallId, toolName, result, ...fields })
    },
  }
}

function encode(toolName: string, input: unknown): string {
  const json: string | undefined = JSON.stringify(input)
  if (json === undefined) {
    throw new ScriptError(
      `The input of toolCall('${toolName}') is not JSON. For broken JSON use { rawInput: '…' }.`,
    )
  }
  return json
}
