import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { deepCopy } from '../deep-copy.ts'
import type { ScriptPart } from '../script-part.ts'

/**
 * Stream parts exactly as given, valid or not. A `stream-start`, `response-metadata` or `finish` part replaces the default
 * one.
 */
export function raw(...parts: LanguageModelV4StreamPart[]): ScriptPart {
  return {
    writeTo(turn) {
      for (const part of parts) turn.emit(deepCopy(part))
    },
  }
}
