/** What went wrong, in the words of the server where it sent some. */
export function problemText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  try {
    const { error: sent } = JSON.parse(error.message) as { error?: { message?: string } }
    if (sent?.message) return sent.message
  } catch {
    // No JSON: the message itself.
  }
  return error instanceof TypeError
    ? 'The connection is lost. The answer is still being made.'
    : error.message
}
