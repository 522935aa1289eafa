import { type Report, rowsOf, Tallies } from '@millrace/injection-model'
import { type EncodingName, loadEncoding, tokensOf } from '@millrace/tokens'

export interface TokenRow {
  encoding: EncodingName
  text: string
  tokens: number[]
}

/** Compares token counts with those of the reference. */
export async function evaluateTokens(rows: readonly TokenRow[]): Promise<Report> {
  const tallies = new Tallies()
  const mistakes: string[] = []
  for (const { encoding, text, tokens } of rows) {
    if (tokensOf(text, await loadEncoding(encoding)) === tokens.length) tallies.of(encoding).found++
    else {
      tallies.of(encoding).missed++
      mistakes.push(`${encoding}: ${text}`)
    }
  }
  const { found, missed } = tallies.sum()
  return {
    guard: 'TokenLimiterProcessor',
    file: 'tokens',
    rows: rowsOf(tallies, 'texts').map(({ type, found, missed }) => ({
      type,
      found,
      missed,
    })),
    summary: { equal: found, of: found + missed },
    mistakes,
  }
}
