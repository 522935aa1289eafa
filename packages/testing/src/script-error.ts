/** A mistake in the script itself: it ran out of turns, or its parts do not make an answer. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
}
