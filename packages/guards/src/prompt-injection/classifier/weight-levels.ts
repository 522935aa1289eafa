// The weights of the classifier have few levels: zero, and up to seven positive ones, each also as a negative one. A signed
// byte has two weights: the index of the first level, times the number of levels, plus that of the second. So nearly all
// bytes are near zero, and take one character in the text that embeds them (`byte-text.ts`).

/** Packs weights that are zero or, apart from their sign, one of `levels`. */
export function packWeights(weights: Int8Array, levels: readonly number[]): Int8Array {
  const indexOf = (weight: number): number => Math.sign(weight) * (levels.indexOf(Math.abs(weight)) + 1)
  const count = countOf(levels)
  return Int8Array.from(
    { length: weights.length / 2 },
    (_, place) => count * indexOf(weights[2 * place] as number) + indexOf(weights[2 * place + 1] as number),
  )
}

/** The weights that were packed with the same levels. */
export function unpackWeights(packed: Int8Array, levels: readonly number[]): Int8Array {
  const weightOf = (index: number): number => Math.sign(index) * (levels[Math.abs(index) - 1] ?? 0)
  const count = countOf(levels)
  const firsts = new Int8Array(256)
  const seconds = new Int8Array(256)
  for (let byte = -128; byte < 128; byte++) {
    const first = Math.round(byte / count)
    firsts[byte & 0xff] = weightOf(first)
    seconds[byte & 0xff] = weightOf(byte - count * first)
  }
  const weights = new Int8Array(2 * packed.length)
  for (let place = 0; place < packed.length; place++) {
    const byte = (packed[place] as number) & 0xff
    weights[2 * place] = firsts[byte] as number
    weights[2 * place + 1] = seconds[byte] as number
  }
  return weights
}

/** The number of levels: zero, and those of both signs. */
function countOf(levels: readonly number[]): number {
  return 2 * levels.length + 1
}
