/** The number of examples of a property. */
export function runsOf(usual: number, thorough: number): number {
  return process.env.MILLRACE_THOROUGH === '1' ? thorough : usual
}

/** Places to cut a text at: every place where tests are thorough, else every other, so that strategies take turns. */
export function placesFor(strategy: 'redact' | 'filter' | 'block' | 'halt', text: string): number[] {
  const step = runsOf(2, 1)
  const first = strategy === 'redact' || strategy === 'halt' ? 1 : step
  const places: number[] = []
  for (let at = first; at < text.length; at += step) places.push(at)
  return places
}
