import { yieldToEventLoop } from '../../event-loop.ts'

// Encodes signed bytes as ASCII text, for JavaScript modules that embed them. Values near zero, as nearly all weights
// are, take one character, so the text compresses as well as the bytes. Base64 compresses worse: it is a sixth longer.

/** Bytes from -NEAR to NEAR are one character; all others are a marker and a character. */
const NEAR = 43

/** The character for zero. */
const ZERO = 0x53

/** The markers of bytes below -NEAR and above NEAR, and the first character that may follow them. */
const BELOW = 0x21
const ABOVE = 0x23
const FIRST = 0x28

/** The number of characters that are decoded before yielding to the event loop. */
const STEP = 65_536

export function encodeBytes(bytes: Int8Array): string {
  return Array.from(bytes, (byte) => {
    if (byte < -NEAR) return String.fromCharCode(BELOW, FIRST + byte + 128)
    if (byte > NEAR) return String.fromCharCode(ABOVE, FIRST + byte - NEAR - 1)
    return String.fromCharCode(ZERO + byte)
  }).join('')
}

/** Decodes the output of `encodeBytes`, yielding to the event loop in between. */
export async function decodeBytes(text: string): Promise<Int8Array> {
  const bytes = new Int8Array(text.length)
  let end = 0
  let pause = 0
  for (let place = 0; place < text.length; place++) {
    if (place >= pause) {
      await yieldToEventLoop()
      pause += STEP
    }
    const code = text.charCodeAt(place)
    if (code === BELOW) bytes[end++] = text.charCodeAt(++place) - FIRST - 128
    else if (code === ABOVE) bytes[end++] = text.charCodeAt(++place) - FIRST + NEAR + 1
    else bytes[end++] = code - ZERO
  }
  return bytes.slice(0, end)
}
