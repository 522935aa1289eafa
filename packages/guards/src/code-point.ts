/**
 * The code point at a position of a text; half of a surrogate pair if the other half is not in the text.
 *
 * Use it instead of `String.prototype.codePointAt` where a text may end within a pair. In Node 24, compiled code reads past
 * the end of a text that is a slice of a longer one (V8's Maglev), and returns a code point that is not in the text.
 */
export function codePointAt(text: string, position: number): number {
  const unit = text.charCodeAt(position)
  if ((unit & 0xfc00) !== 0xd800 || position + 1 >= text.length) return unit
  const next = text.charCodeAt(position + 1)
  return (next & 0xfc00) === 0xdc00 ? ((unit & 0x3ff) << 10) + (next & 0x3ff) + 0x10000 : unit
}

/** The code point at a position of units that end at `length`; half of a surrogate pair if the other half is missing. */
export function codePointIn(units: Uint16Array, place: number, length: number): number {
  const unit = units[place] as number
  if ((unit & 0xfc00) !== 0xd800 || place + 1 >= length) return unit
  const next = units[place + 1] as number
  return (next & 0xfc00) === 0xdc00 ? ((unit & 0x3ff) << 10) + (next & 0x3ff) + 0x10000 : unit
}
