/** The message of an error: the server's, if there is one. */
export function problemText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  try {
    const { error: sent } = JSON.parse(error.message) as { error?: { message?: string } }
    if (sent?.message) return sent.message
  } catch {
    // Not JSON: use the message.
  }
  return error instanceof TypeError
    ? 'The connection is lost. The server still generates the answer.'
    : error.message
}
