/**
 * The folder name for the memories of a resource. All characters except `a` to `z`, digits, `-` and `_` are
 * encoded, so that two resources never share a folder, even on file systems that ignore case and Unicode
 * normalization.
 */
export function memoryFolder(resourceId: string): string {
  const bytes = new TextEncoder().encode(resourceId)
  return `r-${Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte)
    return /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`
  }).join('')}`
}
