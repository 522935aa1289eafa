/**
 * How many Base64 characters are converted at once. A multiple of four, so that each slice is valid Base64.
 */
const CHARACTERS = 65_536
const BYTES = (CHARACTERS / 4) * 3

/** Number of slices converted before yielding to the event loop. They take a few milliseconds. */
const SLICES_PER_YIELD = 16

/** @throws DOMException if `text` is not valid Base64 */
export async function fromBase64(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: string[] = []
  for (let start = 0; start < text.length; start += CHARACTERS) {
    if (parts.length % SLICES_PER_YIELD === SLICES_PER_YIELD - 1) await pause()
    parts.push(atob(text.slice(start, start + CHARACTERS)))
  }
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let place = 0
  for (const part of parts) for (let at = 0; at < part.length; at++) bytes[place++] = part.charCodeAt(at)
  return bytes
}

export async function toBase64(bytes: Uint8Array): Promise<string> {
  let text = ''
  for (let start = 0; start < bytes.length; start += BYTES) {
    if ((start / BYTES) % SLICES_PER_YIELD === SLICES_PER_YIELD - 1) await pause()
    let slice = ''
    for (const byte of bytes.subarray(start, start + BYTES)) slice += String.fromCharCode(byte)
    text += btoa(slice)
  }
  return text
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
