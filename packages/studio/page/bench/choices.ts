import type { GuardChoice, GuardInfo, JSONSchemaProperty } from '../../src/wire.ts'

export interface Choice {
  isOn: boolean
  /** The options that differ from the defaults. */
  options: Readonly<Record<string, unknown>>
}

/** By guard name. */
export type Choices = Readonly<Record<string, Choice>>

/** The number of guards that are selected at first; some of the others need options. */
const FIRST = 3

export function choiceOf(guards: readonly GuardInfo[], choices: Choices, name: string): Choice {
  return choices[name] ?? { isOn: guards.findIndex((guard) => guard.name === name) < FIRST, options: {} }
}

/** The guards of a request: the selected ones, in the order of the list. */
export function chosenGuards(guards: readonly GuardInfo[], choices: Choices): GuardChoice[] {
  return guards.flatMap(({ name }) => {
    const { isOn, options } = choiceOf(guards, choices, name)
    if (!isOn) return []
    return [{ guard: name, ...(Object.keys(options).length > 0 && { options }) }]
  })
}

/** Sets an option; `undefined` resets it to its default. */
export function withOption(
  options: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const { [name]: _, ...rest } = options
  return value === undefined ? rest : { ...rest, [name]: value }
}

/** Parses the text of an option's field; `undefined` for the default. */
export function readOption({ type }: JSONSchemaProperty, text: string): unknown {
  const written = text.trim()
  if (written === '') return undefined
  if (type === 'array') return splitList(text)
  if (type !== 'number' && type !== 'integer') return text
  const number = Number(written)
  // Invalid numbers are sent unchanged, so that the guard's error message is shown.
  return Number.isNaN(number) ? text : number
}

/** One item per line. */
function splitList(text: string): string[] | undefined {
  const entries = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return entries.length > 0 ? entries : undefined
}
