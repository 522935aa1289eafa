/** A set of ASCII characters and a minimum length, for `nextRun`. */
export interface RunOf {
  readonly members: Uint8Array
  readonly least: number
}

/** Describes runs of at least `least` of these characters. */
export function runOf(characters: string, least: number): RunOf {
  const members = new Uint8Array(128)
  for (const character of characters) members[character.charCodeAt(0)] = 1
  return { members, least }
}

export interface Run {
  readonly start: number
  readonly end: number
}

/** The first run that begins at or after `from`. It skips ahead, so it reads only some characters of other text. */
export function nextRun(text: string, { members, least }: RunOf, from: number): Run | undefined {
  let start = from
  while (start + least <= text.length) {
    // Backwards: no run of the minimum length can begin before the last character that is not a member.
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
