import { type EncodingName, loadEncoding } from '../token-limiter/encoding.ts'

/** A text with its token ids in an encoding. */
export interface TokenRow {
  encoding: EncodingName
  text: string
  tokens: number[]
}

/** How many texts are encoded to exactly the ids that are given. */
export async function evaluateTokens(rows: readonly TokenRow[]): Promise<{ equal: number; total: number }> {
  let equal = 0
  for (const { encoding, text, tokens } of rows) {
    const { encode } = await loadEncoding(encoding)
    if (encode(text).join() === tokens.join()) equal++
  }
  return { equal, total: rows.length }
}
