import type { GuardChoice, GuardInfo, JSONSchemaProperty } from '../../src/wire.ts'

export interface Choice {
  isOn: boolean
  /** What differs from the defaults. */
  options: Readonly<Record<string, unknown>>
}

/** By the name of the guard. */
export type Choices = Readonly<Record<string, Choice>>

/** Guards that are on at first; some of the others do nothing without options. */
const FIRST = 3

export function choiceOf(guards: readonly GuardInfo[], choices: Choices, name: string): Choice {
  return choices[name] ?? { isOn: guards.findIndex((guard) => guard.name === name) < FIRST, options: {} }
}

/** What is asked of the server: the guards that are on, in the order in which they are listed. */
export function chosenGuards(guards: readonly GuardInfo[], choices: Choices): GuardChoice[] {
  return guards.flatMap(({ name }) => {
    const { isOn, options } = choiceOf(guards, choices, name)
    if (!isOn) return []
    return [{ guard: name, ...(Object.keys(options).length > 0 && { options }) }]
  })
}

/** Options with one of them set; `undefined` brings its default back. */
export function withOption(
  options: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const { [name]: _, ...rest } = options
  return value === undefined ? rest : { ...rest, [name]: value }
}

/** The value of an option from what was written in its field: nothing for its default. */
export function readOption({ type }: JSONSchemaProperty, text: string): unknown {
  const written = text.trim()
  if (written === '') return undefined
  if (type === 'array') return splitList(text)
  if (type !== 'number' && type !== 'integer') return text
  const number = Number(written)
  // What is no number is sent as it is: the guard says what it takes.
  return Number.isNaN(number) ? text : number
}

/** One entry a line. */
function splitList(text: string): string[] | undefined {
  const entries = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return entries.length > 0 ? entries : undefined
}
