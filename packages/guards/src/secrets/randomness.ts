/** Shannon entropy of a text's characters, in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** What stands in examples and templates where a secret is to go, and what a program fills in. */
export function isPlaceholder(text: string): boolean {
  return (
    /(?<![A-Za-z0-9])x{4}|x{4}(?![A-Za-z0-9])|x{6}|\*{3}|#{4}|\.{3}|\.\.$|_{6}|abcdefghijkl|(?:^|[-_ ])(?:your|my|our|insert|replace|put|enter|add|dummy|fake|sample|redacted|placeholder|changeme|todo)[-_ ]|placeholder|change_?me|redacted|example(?:_?key|_?token)?$|^example/i.test(
      text,
    ) ||
    /^[<[{]|[>}\]]$|^\$|^%\w+%$|^@[\w.]+@?$|\$\{|\{\{|\$\(|%[sdv]\b|^#\{/.test(text) ||
    // One character over and over.
    /^(.)\1*$|(.)\2{13}/.test(text)
  )
}

/** Names of a program: words, with dots, dashes, capitals between them, but no digits among the letters. */
export function isName(text: string): boolean {
  return /^[A-Za-z_$@][A-Za-z_$]*(?:[./:-]{1,2}[A-Za-z_$]+(?:(?:-+|-*[./:][./:-]?)[A-Za-z_$]+)*-*)?\d{0,2}$/.test(
    text,
  )
}

/** Whether a text looks as if a machine had drawn it: enough different characters, and digits among letters. */
export function isRandom(text: string, bits = 3): boolean {
  return entropy(text) >= bits && /\d/.test(text) && /[A-Za-z]/.test(text)
}
