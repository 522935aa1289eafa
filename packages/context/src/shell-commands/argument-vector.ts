/** A word of a command: letters, digits, and signs that no shell gives a meaning to. */
const WORD = /^[\p{L}\p{N}_./:=@%+,-]+$/u

/**
 * The words of a command, separated by spaces: the program and its arguments. `undefined` where anything else stands in the
 * line: quotes, globs, variables, redirections, control characters.
 */
export function argumentVector(line: string): readonly [string, ...string[]] | undefined {
  const [program, ...args] = line.split(' ').filter((word) => word !== '')
  if (program === undefined || ![program, ...args].every((word) => WORD.test(word))) return undefined
  return [program, ...args]
}
