import { slicesOf } from '../slices.ts'
import { SLICE, type Task } from './task.ts'

/** Longer strings are written by themselves, in UTF-16 units. */
const LONG = 65_536

/**
 * A value as `JSON.stringify` writes it, and nothing where it writes nothing. Long strings are written in slices: one in which
 * much has to be escaped takes long.
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

/** Where a long string stands. Nobody outside of this process knows it. */
const PLACE = crypto.randomUUID()

function* escaped(text: string): Task<string> {
  let out = ''
  for (const slice of slicesOf(text)) {
    out += JSON.stringify(slice).slice(1, -1)
    yield SLICE
  }
  return out
}
