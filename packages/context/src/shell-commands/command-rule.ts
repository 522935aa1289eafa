import { isAbsolute } from 'node:path'
import { isRecord, MillraceError } from '@millrace/core'

/**
 * Allows one argument: this exact text, or a text that the pattern matches completely. A pattern never
 * matches an argument that begins with `-`.
 */
export type ArgumentRule = string | RegExp

export interface CommandRule {
  /**
   * The program: an absolute path, or a name that is looked up in the `PATH` of `env`. Default: the name of
   * the command.
   */
  readonly file?: string
  /**
   * The allowed argument lists, or a function that decides about all arguments, including options. An element
   * is an exact text, or a pattern that must match the whole argument; a pattern never matches an argument
   * that begins with `-`. Default: `[[]]`, no arguments.
   */
  readonly args?: readonly (readonly ArgumentRule[])[] | ((args: readonly string[]) => boolean)
}

/** A validated rule. */
export interface CompiledRule {
  readonly file: string
  readonly allows: (args: readonly string[]) => boolean
}

/** @throws MillraceError `CONFIG_INVALID` */
export function compileRule(name: string, { file = name, args = [[]] }: CommandRule): CompiledRule {
  if (
    typeof file !== 'string' ||
    file === '' ||
    file.includes('\0') ||
    (/[/\\]/.test(file) && !isAbsolute(file))
  ) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `commands.${name}.file is '${String(file)}'. Use an absolute path, or a name without a folder.`,
    )
  }
  if (typeof args === 'function') return { file, allows: (given) => args(given) === true }
  if (!Array.isArray(args) || !args.every((list) => Array.isArray(list) && list.every(isArgumentRule))) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `commands.${name}.args is not a list of lists. Use lists of strings and patterns, such as [['status'], ['log', /\\w+/]].`,
    )
  }
  const vectors = (args as readonly (readonly ArgumentRule[])[]).map((list) => list.map(compileArgument))
  return {
    file,
    allows: (given) =>
      vectors.some(
        (vector) =>
          vector.length === given.length && vector.every((matches, index) => matches(given[index] as string)),
      ),
  }
}

function isArgumentRule(rule: unknown): rule is ArgumentRule {
  return typeof rule === 'string' || rule instanceof RegExp
}

function compileArgument(rule: ArgumentRule): (argument: string) => boolean {
  if (typeof rule === 'string') return (argument) => argument === rule
  const whole = new RegExp(`^(?:${rule.source})$`, rule.flags.replace(/[gmy]/g, ''))
  return (argument) => !argument.startsWith('-') && whole.test(argument)
}

/** @throws MillraceError `CONFIG_INVALID` */
export function checkCommands(commands: unknown): void {
  if (isRecord(commands) && Object.values(commands).every(isRecord)) return
  throw new MillraceError(
    'CONFIG_INVALID',
    'commands is not an object of rules. Use rules by name, such as { git: { args: [["status"]] } }.',
  )
}
