/** Characters of a command's words: letters, digits, and signs without a meaning in a shell. */
const WORD = /^[\p{L}\p{N}_./:=@%+,-]+$/u

/**
 * Splits a command line at spaces into the program and its arguments. `undefined` if it contains anything
 * else: quotes, globs, variables, redirections or control characters.
 */
export function argumentVector(line: string): readonly [string, ...string[]] | undefined {
  const [program, ...args] = line.split(' ').filter((word) => word !== '')
  if (program === undefined || ![program, ...args].every((word) => WORD.test(word))) return undefined
  return [program, ...args]
}
