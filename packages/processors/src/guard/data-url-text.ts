const TEXT_URL =
  /^data:((?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|csv|javascript|toml))[^,]*),/i

/** A data URL of a text file with its text rewritten; the same where nothing changed, or it holds no text. */
export function rewriteDataUrl(url: string, rewrite: (text: string) => string): string {
  const [head, type = ''] = TEXT_URL.exec(url) ?? []
  if (head === undefined) return url
  const text = decode(url.slice(head.length), type)
  if (text === undefined) return url
  const rewritten = rewrite(text)
  if (rewritten === text) return url
  return `data:${type.replace(/;base64$/i, '')};base64,${encode(rewritten)}`
}

function decode(data: string, type: string): string | undefined {
  try {
    if (!/;base64$/i.test(type)) return decodeURIComponent(data)
    return new TextDecoder().decode(Uint8Array.from(atob(data), (unit) => unit.charCodeAt(0)))
  } catch {
    // Not what it says it is: nothing that could be read.
    return undefined
  }
}

function encode(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}
