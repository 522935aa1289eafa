import { type OptionNames, requireOptions } from '@millrace/core'
import type { MatcherState, SyncMatcherResult } from 'vitest'
import { unfit, verdict } from './verdict.ts'

export interface ChunkTypesOptions {
  /** Whether consecutive chunks of one `…-delta` type count as one. Default: `false`. */
  mergeDeltas?: boolean
}

const CHUNK_TYPES_OPTIONS: OptionNames<ChunkTypesOptions> = { mergeDeltas: 'optional' }

/** The chunks have exactly these types, in this order. */
export function toHaveChunkTypes(
  this: MatcherState,
  received: unknown,
  expected: readonly string[],
  options: ChunkTypesOptions = {},
): SyncMatcherResult {
  const { mergeDeltas = false } = requireOptions('toHaveChunkTypes()', options, CHUNK_TYPES_OPTIONS)
  if (!Array.isArray(received)) throw unfit(this, received, 'a list of chunks')
  const types = received
    .map((chunk: { type?: unknown } | undefined) => String(chunk?.type))
    .filter((type, index, all) => !mergeDeltas || !type.endsWith('-delta') || type !== all[index - 1])
  const problem = `expected chunks of the types\n  ${expected.join(', ')}\nbut they are\n  ${types.join(', ')}`
  const negated = `expected the chunks not to have the types ${expected.join(', ')}, but they do`
  const pass = types.length === expected.length && types.every((type, index) => type === expected[index])
  return verdict(pass ? undefined : problem, negated, { actual: types, expected })
}
