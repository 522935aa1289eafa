/** Splits a text at positions, which may be any numbers. */
export function cut(text: string, places: readonly number[]): string[] {
  const within = places.map((place) => Math.abs(Math.trunc(place)) % (text.length + 1))
  const sorted = [0, ...within.filter((place) => Number.isFinite(place)), text.length].sort((a, b) => a - b)
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end))
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}

export function areNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number')
}
