/** An error in the script: it has too few turns, or its parts are not a valid answer. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
}
