import { requireOptions } from '@millrace/core'
import { SLICE, slicesOf, yieldToEventLoop } from '@millrace/guards/guard'
import { type Encoding, type EncodingName, encodingOf, loadEncoding } from './encoding.ts'

/** The maximum length of a piece that is encoded as a whole, in UTF-16 units. */
export const LONGEST_PIECE = 4_096

/** Tokens added for each cut within a piece. In tests, two halves had at most 3 tokens fewer than the whole. */
export const PER_CUT = 4

/**
 * Positions at which a token ends in every encoding: no token contains a letter or digit followed by something else.
 */
const SAFE_CUT = /(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}\p{M}'’])|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu

/**
 * The number of tokens of a text. Exact for OpenAI's encodings, except that a piece (such as a word) of over 4,096
 * characters is counted in parts and rounded up. For other models an upper estimate: 1.25 times the tokens of
 * `r50k_base`. Linear in the length of the text; a long text is counted in slices that yield to the event loop.
 *
 * @param options `model` is a model's id; `encoding` overrides it. Default: `o200k_base`.
 */
export async function countTokens(
  text: string,
  options: { model?: string; encoding?: EncodingName | 'estimate' } = {},
): Promise<number> {
  requireOptions('countTokens()', options, { model: 'optional', encoding: 'optional' })
  const { model, encoding = model === undefined ? 'o200k_base' : encodingOf(model) } = options
  const loaded = await loadEncoding(encoding)
  return scaled(await tokensInSlices(text, loaded), loaded)
}

/** Loads the table of an encoding and runs the code that counts tokens, for `warmUp` of processors. */
export async function warmUpEncoding(name: EncodingName | 'estimate'): Promise<void> {
  tokensOf('The quick brown fox jumps over 13 lazy dogs.', await loadEncoding(name))
}

/**
 * The tokens of a text in its encoding, before the factor of an estimate. The counts of texts cut at {@link safeCut}
 * add up.
 */
export function tokensOf(text: string, encoding: Encoding): number {
  let count = 0
  for (const piece of piecesOf(text, encoding)) count += tokensOfPiece(piece, encoding)
  return count
}

/** Like `tokensOf`, in slices that yield to the event loop. */
export async function tokensInSlices(text: string, encoding: Encoding): Promise<number> {
  let count = 0
  let length = 0
  for (const piece of piecesOf(text, encoding)) {
    for (const tokens of tokensOfParts(piece, encoding)) {
      count += tokens
      length += Math.min(piece.length, LONGEST_PIECE)
      if (length <= SLICE) continue
      length = 0
      await yieldToEventLoop()
    }
  }
  return count
}

export function scaled(tokens: number, { factor }: Encoding): number {
  return Math.ceil(tokens * factor)
}

/**
 * The last position at which the text can be cut without splitting a token, whatever follows; 0 if there is none. The
 * text before `from` is known to have none.
 */
export function safeCut(text: string, from = 0): number {
  // Only the end is searched. Longer pieces without such a position are rare, and are cut elsewhere.
  const start = Math.max(0, from - 4, text.length - LONGEST_PIECE)
  let last = 0
  for (const { index } of text.slice(start).matchAll(SAFE_CUT)) last = start + index
  return last
}

/** The longest beginning of a text with at most `limit` tokens, before the factor of an estimate. */
export function fit(text: string, limit: number, encoding: Encoding): string {
  let left = limit
  let place = 0
  for (const piece of piecesOf(text, encoding)) {
    const tokens = tokensOfPiece(piece, encoding)
    if (tokens > left) return fitPiece(text, place, { piece, left, limit }, encoding)
    left -= tokens
    place += piece.length
  }
  return text
}

/** The text up to `place`, and as much of the piece at `place` as fits. */
function fitPiece(
  text: string,
  place: number,
  { piece, left, limit }: { piece: string; left: number; limit: number },
  encoding: Encoding,
): string {
  const ends = encoding.pairs.ends(piece.slice(0, LONGEST_PIECE))
  for (let count = Math.min(left, ends.length); ; ) {
    const start = text.slice(0, count > 0 ? place + (ends[count - 1] as number) : place)
    // A cut text may have more tokens than its part of the whole text had.
    const over = tokensOf(start, encoding) - limit
    if (over <= 0 || start === '') return start
    if (count === 0) return fit(text.slice(0, place - 1), limit, encoding)
    count = Math.max(0, count - over)
  }
}

/** The pieces of a text, of any length. Lone surrogates become U+FFFD. */
function* piecesOf(text: string, { pieces }: Encoding): Generator<string, void, undefined> {
  for (const [piece] of text.toWellFormed().matchAll(pieces)) yield piece
}

/** The tokens of a piece. A long piece is counted in parts, with a correction for each cut. */
function tokensOfPiece(piece: string, encoding: Encoding): number {
  if (piece.length <= LONGEST_PIECE) return encoding.pairs.count(piece)
  let count = 0
  for (const tokens of tokensOfParts(piece, encoding)) count += tokens
  return count
}

/** The tokens of a piece, part by part. */
function* tokensOfParts(piece: string, { pairs }: Encoding): Generator<number, void, undefined> {
  if (piece.length <= LONGEST_PIECE) {
    yield pairs.count(piece)
    return
  }
  let hidden = 0
  for (const part of slicesOf(piece, LONGEST_PIECE)) {
    yield hidden + pairs.count(part)
    hidden = PER_CUT
  }
}
