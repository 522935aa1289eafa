/** What a person wrote: JSON where it is JSON, else a text. */
export function parseAnswer(text: string): { value: unknown; isJson: boolean } {
  try {
    return { value: JSON.parse(text), isJson: true }
  } catch {
    return { value: text, isJson: false }
  }
}
