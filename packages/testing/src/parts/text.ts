import type { LanguageModelV4Citation, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { type OptionNames, requireOptions } from '@millrace/core'
import { chunksOf } from '../chunking.ts'
import type { ScriptPart } from '../script-part.ts'

export interface TextOptions {
  /** Characters per delta, by code point. Default: one word with the space after it. */
  chunkSize?: number
  /** Sent with `text-end`. */
  citations?: LanguageModelV4Citation[]
  /** Sent with `text-end`. */
  providerMetadata?: SharedV4ProviderMetadata
}

const TEXT_OPTIONS: OptionNames<TextOptions> = {
  chunkSize: 'optional',
  citations: 'optional',
  providerMetadata: 'optional',
}

/** A text block. A list of strings is its deltas. */
export function text(content: string | readonly string[], given: TextOptions = {}): ScriptPart {
  const options = requireOptions('text()', given, TEXT_OPTIONS)
  const { chunkSize, ...onEnd } = options
  const chunks = chunksOf(content, chunkSize)
  return {
    writeTo(turn) {
      const id = turn.nextBlockId('text')
      turn.emit({ type: 'text-start', id })
      for (const delta of chunks) turn.emit({ type: 'text-delta', id, delta })
      turn.emit({ type: 'text-end', id, ...onEnd })
    },
  }
}

export interface ReasoningOptions {
  /** Characters per delta, by code point. Default: one word with the space after it. */
  chunkSize?: number
  /** Sent with `reasoning-end`, like the signature of a provider. */
  providerMetadata?: SharedV4ProviderMetadata
}

const REASONING_OPTIONS: OptionNames<ReasoningOptions> = {
  chunkSize: 'optional',
  providerMetadata: 'optional',
}

/** A reasoning block. A list of strings is its deltas. */
export function reasoning(content: string | readonly string[], given: ReasoningOptions = {}): ScriptPart {
  const options = requireOptions('reasoning()', given, REASONING_OPTIONS)
  const { chunkSize, ...onEnd } = options
  const chunks = chunksOf(content, chunkSize)
  return {
    writeTo(turn) {
      const id = turn.nextBlockId('reasoning')
      turn.emit({ type: 'reasoning-start', id })
      for (const delta of chunks) turn.emit({ type: 'reasoning-delta', id, delta })
      turn.emit({ type: 'reasoning-end', id, ...onEnd })
    },
  }
}
