import { type CountTokens, fitText } from '../content/fit-text.ts'

export interface Lines {
  readonly text: string
  /** What is left out, and how to read it. */
  readonly notes: readonly string[]
}

/** The lines of a text from `fromLine` on, up to `maxTokens`. `undefined` if the text has no such line. */
export async function linesFrom(
  text: string,
  { fromLine, maxTokens, countTokens }: { fromLine: number; maxTokens: number; countTokens: CountTokens },
): Promise<Lines | undefined> {
  const lines = text.split('\n')
  if (fromLine > lines.length) return undefined
  const rest = lines.slice(fromLine - 1).join('\n')
  const fitting = await fitText(rest, maxTokens, countTokens)
  if (fitting.length === rest.length) return { text: fitting, notes: [] }
  const isWholeLine = rest.charAt(fitting.length) === '\n'
  const end = isWholeLine ? fitting.length : fitting.lastIndexOf('\n')
  const shown = end === -1 ? fitting : fitting.slice(0, end)
  const last = fromLine - 1 + shown.split('\n').length
  const notes = [`Lines ${fromLine} to ${last} of ${lines.length} are shown.`]
  if (end === -1) notes.push(`The end of line ${last} is left out.`)
  if (last < lines.length) notes.push(`Read on with fromLine: ${last + 1}.`)
  return { text: shown, notes }
}
