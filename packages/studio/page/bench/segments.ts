/** A part of a text, with the findings that cover it. */
export interface Segment<FINDING> {
  start: number
  text: string
  findings: FINDING[]
}

interface Range {
  start: number
  end: number
}

/**
 * Splits a text at the boundaries of its findings, which may overlap. The segments together are the text. Findings that are
 * empty or outside of the text are left out.
 */
export function segmentsOf<FINDING extends Range>(
  text: string,
  findings: readonly FINDING[],
): Segment<FINDING>[] {
  const inside = findings
    .filter(({ start, end }) => start >= 0 && start < end && start < text.length)
    .sort((one, other) => one.start - other.start)
  const cuts = new Set([0, text.length])
  for (const { start, end } of inside) cuts.add(start).add(Math.min(end, text.length))
  const places = [...cuts].sort((one, other) => one - other)

  const segments: Segment<FINDING>[] = []
  let open: FINDING[] = []
  let next = 0
  for (let index = 0; index + 1 < places.length; index++) {
    const start = places[index] ?? 0
    open = open.filter(({ end }) => end > start)
    for (let finding = inside[next]; finding && finding.start <= start; finding = inside[++next])
      open.push(finding)
    segments.push({ start, text: text.slice(start, places[index + 1]), findings: [...open] })
  }
  return segments
}
