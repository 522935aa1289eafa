import { getLoadablePath } from 'sqlite-vec'
import type { BetterSQLite3Database } from './better-sqlite3-connection.ts'

/**
 * Registers a function for the cosine distance of two vectors, and returns its name. Uses sqlite-vec if it
 * exists for this platform, otherwise a JavaScript function, which takes two to three times as long.
 */
export function addCosineDistance(database: BetterSQLite3Database): string {
  try {
    database.loadExtension(getLoadablePath())
    return 'vec_distance_cosine'
  } catch {
    return addOwnCosineDistance(database)
  }
}

export function addOwnCosineDistance(database: BetterSQLite3Database): string {
  database.function('millrace_cosine_distance', { deterministic: true }, cosineDistance)
  return 'millrace_cosine_distance'
}

/** The vectors have length 1, and are stored as little-endian 32-bit floats. */
function cosineDistance(left: Uint8Array, right: Uint8Array): number {
  const one = toNumbers(left)
  const other = toNumbers(right)
  let product = 0
  for (let index = 0; index < one.length; index++) product += (one[index] ?? 0) * (other[index] ?? 0)
  return 1 - product
}

function toNumbers(bytes: Uint8Array): Float32Array {
  const isAligned = bytes.byteOffset % 4 === 0
  const { buffer, byteOffset, length } = isAligned ? bytes : new Uint8Array(bytes)
  return new Float32Array(buffer, byteOffset, length / 4)
}
