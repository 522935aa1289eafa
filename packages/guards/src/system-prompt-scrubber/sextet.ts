const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const SEXTETS = new Int8Array(128).fill(-1)
for (let place = 0; place < 64; place++) SEXTETS[ALPHABET.charCodeAt(place)] = place
SEXTETS[0x2d] = 62
SEXTETS[0x5f] = 63

/** The 6-bit value of a base64 or base64url character (RFC 4648); -1 for other characters. */
export function sextetOf(unit: number): number {
  return unit < 128 ? (SEXTETS[unit] as number) : -1
}
