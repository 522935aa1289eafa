/** A tenth of a point per word, at most one. Stands in for a call of a judging model. */
export async function evaluateResponseQuality(text: string): Promise<number> {
  return Math.min(text.split(/\s+/).filter(Boolean).length, 10) / 10
}
