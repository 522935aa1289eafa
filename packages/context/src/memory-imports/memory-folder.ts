/**
 * The name of the folder with the memories of a resource. Two resources never share one, also where file systems disregard
 * case and Unicode's forms: all but `a` to `z`, digits, `-` and `_` is encoded.
 */
export function memoryFolder(resourceId: string): string {
  const bytes = new TextEncoder().encode(resourceId)
  return `r-${Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte)
    return /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`
  }).join('')}`
}
