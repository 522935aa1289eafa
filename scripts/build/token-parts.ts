// Splits token tables into text parts that are loaded and read in steps. V8 compiles a module without yielding, so one module with
// 200,000 literals would block the event loop.
import { ENCODED, SEPARATOR } from '../../packages/tokens/src/rank-table.ts'

/** The number of tokens in a part. A part loads in a few milliseconds. */
const PART = 24_576

/** Splits a table in tiktoken's format: one line per token, with its bytes in base64 and its rank. */
export function tokenParts(file: string): string[] {
  const tokens: string[] = []
  for (const line of file.split('\n')) {
    const [bytes, rank] = line.split(' ')
    if (bytes && rank) tokens[Number(rank)] = tokenText(bytes)
  }
  const parts: string[] = []
  for (let start = 0; start < tokens.length; start += PART) {
    const part = tokens.slice(start, start + PART)
    parts.push(Array.from(part, (token = '') => token).join(SEPARATOR))
  }
  return parts
}

function tokenText(base64: string): string {
  const text = Buffer.from(base64, 'base64').toString('latin1')
  return /^[ -}][ -~]*$/.test(text) ? text : `${ENCODED}${base64.replaceAll('=', '')}`
}
