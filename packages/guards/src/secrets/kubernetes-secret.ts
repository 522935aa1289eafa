import type { PatternRecognizer } from '../scanner/recognizer.ts'

/** Kubernetes manifests of kind `Secret`: the first value of `data`, in base64. */
export const kubernetesSecret: PatternRecognizer[] = [
  {
    type: 'kubernetes_secret',
    pattern:
      /\bdata:[ \t]{0,4}\r?\n(?:[ \t]{1,16}#[^\n]{0,200}\r?\n){0,2}[ \t]{1,16}[\w.-]{1,63}:[ \t]{1,4}(?:[|>][+-]?[ \t]{0,4}\r?\n[ \t]{1,16})?["']?[A-Za-z0-9+/]{10,512}={0,2}/,
    score: (match) => (isEncoded(encodedIn(match)) ? 0.8 : 0),
    part: (match) => [match.length - encodedIn(match).length, match.length],
  },
]

function encodedIn(match: string): string {
  return /[A-Za-z0-9+/]+={0,2}$/.exec(match)?.[0] ?? ''
}

/** Whether a value is base64 and not a word, and its decoded value is not just an example. */
function isEncoded(text: string): boolean {
  if (text.length > 500) return true
  if (text.length % 4 !== 0 || !/[A-Z]/.test(text) || !/[a-z]/.test(text)) return false
  const decoded = atob(text)
  return !/^(?:foo|bar|data|value|example)\b/i.test(decoded)
}
