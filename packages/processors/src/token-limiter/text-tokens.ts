import { type Encoding, type EncodingName, encodingOf, loadEncoding } from './encoding.ts'

/** The longest unbroken run that is encoded as a whole: the cost of a run grows with its square. */
const MAX_RUN = 256

/** What a cut within a run may hide: the halves were never seen to make over 3 tokens fewer than the whole. */
export const PER_CUT = 4

/** Anchored at their beginning, so that a shorter run is read once. */
const LONG_RUN =
  /(?<![\p{L}\p{M}])[\p{L}\p{M}]{257,}|(?<!\p{N})\p{N}{257,}|(?<![^\p{L}\p{M}\p{N}])[^\p{L}\p{M}\p{N}]{257,}/gu

/** Where a token ends in every encoding: no token goes from a letter or digit to something else. */
const SAFE_CUT = /(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}\p{M}'’])|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu

/**
 * The number of tokens of a text. Exact for OpenAI's encodings, except that an unbroken run of over 256 letters, digits
 * or other characters is counted in pieces and rounded up. For other models an upper estimate: 1.25 times the tokens of
 * `r50k_base`. Linear in the length of the text.
 *
 * @param options `model` is a model's id; `encoding` overrides it. Default: `o200k_base`.
 */
export async function countTokens(
  text: string,
  options: { model?: string; encoding?: EncodingName | 'estimate' } = {},
): Promise<number> {
  const { model, encoding = model === undefined ? 'o200k_base' : encodingOf(model) } = options
  const loaded = await loadEncoding(encoding)
  return scaled(tokensOf(text, loaded), loaded)
}

/** The tokens of a text in its encoding, before the factor of an estimate. Adds up over texts cut at {@link safeCut}. */
export function tokensOf(text: string, encoding: Encoding): number {
  let count = -PER_CUT
  for (const piece of piecesOf(text)) count += PER_CUT + encoding.encode(piece).length
  return Math.max(0, count)
}

export function scaled(tokens: number, { factor }: Encoding): number {
  return Math.ceil(tokens * factor)
}

/** The last place in a text where no token goes across, whatever follows the text; 0 if there is none. */
export function safeCut(text: string): number {
  // Only the end is looked at: runs without such a place are rare, and cut at their beginning then.
  const from = Math.max(0, text.length - 2 * MAX_RUN)
  let last = 0
  for (const { index } of text.slice(from).matchAll(SAFE_CUT)) last = from + index
  return last
}

/** The longest beginning of a text with at most `limit` tokens, before the factor of an estimate. */
export function fit(text: string, limit: number, encoding: Encoding): string {
  let out = ''
  let left = limit
  for (const piece of piecesOf(text)) {
    const tokens = encoding.encode(piece)
    if (tokens.length <= left) {
      out += piece
      left -= tokens.length + PER_CUT
      continue
    }
    for (let count = Math.max(0, left); count > 0; count--) {
      const start = commonStart(piece, encoding.decode(tokens.slice(0, count)))
      if (encoding.encode(start).length <= left) return out + start
    }
    break
  }
  return out
}

/** The text, with long runs cut into pieces. */
export function* piecesOf(text: string): Generator<string> {
  let start = 0
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    const end = index + run.length
    for (
      let cut = wholeCharacter(text, index + MAX_RUN);
      cut < end;
      cut = wholeCharacter(text, cut + MAX_RUN)
    ) {
      yield text.slice(start, cut)
      start = cut
    }
  }
  yield text.slice(start)
}

function wholeCharacter(text: string, place: number): number {
  return (text.codePointAt(place - 1) ?? 0) > 0xffff ? place + 1 : place
}

/** As far as both agree: a token may end within a character, which is then decoded as something else. */
function commonStart(text: string, decoded: string): string {
  let length = 0
  while (length < decoded.length && text[length] === decoded[length]) length++
  if (length > 0 && (text.codePointAt(length - 1) ?? 0) > 0xffff) length--
  return text.slice(0, length)
}
