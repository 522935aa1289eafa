/** Characters of ASCII, for `nextRun`. */
export interface RunOf {
  readonly members: Uint8Array
  readonly least: number
}

/** Runs of at least `least` of these characters. */
export function runOf(characters: string, least: number): RunOf {
  const members = new Uint8Array(128)
  for (const character of characters) members[character.charCodeAt(0)] = 1
  return { members, least }
}

export interface Run {
  readonly start: number
  readonly end: number
}

/** The first run that begins at or after a place. Of other text only every few characters are looked at. */
export function nextRun(text: string, { members, least }: RunOf, from: number): Run | undefined {
  let start = from
  while (start + least <= text.length) {
    // Backwards: from the last character that is none, another run may begin.
    let place = start + least - 1
    while (place >= start && members[text.charCodeAt(place)] === 1) place--
    if (place < start) {
      let end = start + least
      while (end < text.length && members[text.charCodeAt(end)] === 1) end++
      return { start, end }
    }
    start = place + 1
  }
  return undefined
}
