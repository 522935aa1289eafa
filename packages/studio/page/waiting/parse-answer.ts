/** Parses JSON; any other text is a string. */
export function parseAnswer(text: string): { value: unknown; isJson: boolean } {
  try {
    return { value: JSON.parse(text), isJson: true }
  } catch {
    return { value: text, isJson: false }
  }
}
