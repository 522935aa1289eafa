/** The Shannon entropy of a text, in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** Whether a text is a placeholder of an example or a template. */
export function isPlaceholder(text: string): boolean {
  return (
    /(?<![A-Za-z0-9])x{4}|x{4}(?![A-Za-z0-9])|x{6}|\*{3}|#{4}|\.{3}|\.\.$|_{6}|abcdefghijkl|(?:^|[-_ ])(?:your|my|our|insert|replace|put|enter|add|dummy|fake|sample|redacted|placeholder|changeme|todo)[-_ ]|placeholder|change_?me|redacted|example(?:_?key|_?token)?$|^example/i.test(
      text,
    ) ||
    /^[<[{]|[>}\]]$|^\$|^%\w+%$|^@[\w.]+@?$|\$\{|\{\{|\$\(|%[sdv]\b|^#\{/.test(text) ||
    // A repeated character.
    /^(.)\1*$|(.)\2{13}/.test(text)
  )
}

/**
 * Whether a text is an identifier of a program: words joined by dots, dashes or capitals, without digits between
 * letters.
 */
export function isName(text: string): boolean {
  return /^[A-Za-z_$@][A-Za-z_$]*(?:[./:-]{1,2}[A-Za-z_$]+(?:(?:-+|-*[./:][./:-]?)[A-Za-z_$]+)*-*)?\d{0,2}$/.test(
    text,
  )
}

/** Whether a text looks random: high entropy, and both letters and digits. */
export function isRandom(text: string, bits = 3): boolean {
  return entropy(text) >= bits && /\d/.test(text) && /[A-Za-z]/.test(text)
}
