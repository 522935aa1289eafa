import { nearestName } from '@millrace/core'

/** The fields of a request's body. Others are ignored, unless they are like one that guards, limits or approves. */
export interface BodyFields {
  /** The route, for the log. */
  readonly route: string
  readonly known: readonly string[]
  /**
   * What guards, limits or approves: ignored, more would happen than the client asked for. A field of this route has no
   * remedy; for a field that has no effect here, it says what to do.
   */
  readonly guarding: Readonly<Record<string, string | undefined>>
}

/** Shorter names are like too many others. */
const SHORTEST = 5
/** How many unknown fields of one body are compared. */
const MOST = 200

/**
 * The first unknown field that is within two edits of a guarding one, with a sentence for the client. The others are
 * logged.
 */
export function misspelledField(
  body: object,
  { route, known, guarding }: BodyFields,
): { field: string; message: string } | undefined {
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  for (const name of unknown.slice(0, MOST)) {
    const nearest = name.length < SHORTEST ? undefined : nearestName(name, Object.keys(guarding))
    if (nearest === undefined) continue
    const field = name.slice(0, 64)
    const remedy = guarding[nearest] ?? `Did you mean '${nearest}'?`
    const like = name === nearest || guarding[nearest] === undefined ? '' : ` It is like '${nearest}'.`
    return { field, message: `There is no field '${field}'.${like} ${remedy}` }
  }
  if (unknown.length > 0) log(route, unknown.filter((name) => /^[\w.-]{1,64}$/.test(name)).slice(0, 20))
  return undefined
}

/** Written by Node's `debuglog`, which is silent unless `NODE_DEBUG` names `millrace`. */
function log(route: string, names: readonly string[]): void {
  debug ??= debuglog()
  debug(`${route}: unknown fields are ignored: ${names.join(', ')}`)
}

let debug: ((text: string) => void) | undefined

function debuglog(): (text: string) => void {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }
  const util = process?.getBuiltinModule?.('node:util') as
    | { debuglog?: (section: string) => (text: string) => void }
    | undefined
  return util?.debuglog?.('millrace') ?? (() => {})
}
