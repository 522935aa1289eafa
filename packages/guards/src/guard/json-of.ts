import { slicesOf } from '../slices.ts'
import { SLICE, type Task } from './task.ts'

/** In UTF-16 units. Longer strings are serialized separately. */
const LONG = 65_536

/**
 * The JSON of a value, as `JSON.stringify` writes it; an empty string if it writes nothing. Long strings are serialized
 * in slices, since strings with many escapes take long.
 */
export function* jsonOf(value: unknown): Task<string> {
  const strings: string[] = []
  const json = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== 'string' || each.length <= LONG) return each
    strings.push(each)
    return PLACE
  })
  if (strings.length === 0) return json ?? ''
  const between = json.split(`"${PLACE}"`)
  let whole = between[0] as string
  for (const [index, text] of strings.entries()) whole += `"${yield* escaped(text)}"${between[index + 1]}`
  return whole
}

/** The placeholder of a long string. It is random, so no text of a user can contain it. */
const PLACE = crypto.randomUUID()

function* escaped(text: string): Task<string> {
  let out = ''
  for (const slice of slicesOf(text)) {
    out += JSON.stringify(slice).slice(1, -1)
    yield SLICE
  }
  return out
}
