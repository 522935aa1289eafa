import { stripVTControlCharacters } from 'node:util'
import {
  isRecord,
  type MessageList,
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type Processor,
  requireCount,
  requireOptions,
  requireTime,
} from '@millrace/core'
import { ContextMessages } from '../content/context-messages.ts'
import {
  CONTEXT_OPTIONS,
  type ContextOptions,
  type ContextSettings,
  contextSettings,
} from '../content/context-options.ts'
import { turnText } from '../turn/turn-text.ts'
import { argumentVector } from './argument-vector.ts'
import { type CommandRule, type CompiledRule, checkCommands, compileRule } from './command-rule.ts'
import { findSubstitutions } from './find-substitutions.ts'
import { type CommandOutput, type RunOptions, runCommand } from './run-command.ts'

export interface ShellCommandsOptions extends ContextOptions {
  /** The commands that may run, by name. An empty object allows none. */
  readonly commands: Readonly<Record<string, CommandRule>>
  /** The working folder of commands. Default: the current folder of the process. */
  readonly root?: string
  /**
   * The time limit per command, in milliseconds. The command and its child processes are then stopped.
   * Default: 5,000.
   */
  readonly timeoutMs?: number
  /**
   * The output limit per command, in bytes of standard output and standard error together. The command is
   * then stopped. Default: 64,000.
   */
  readonly maxBytes?: number
  /**
   * The complete environment of a command. Without `PATH`, programs are looked up in the default path of the
   * system. Default: `{}`.
   */
  readonly env?: Readonly<Record<string, string>>
  /** The maximum number of commands per turn. They run one after the other. Default: 10. */
  readonly maxCommands?: number
}

const SHELL_COMMANDS_OPTIONS: OptionNames<ShellCommandsOptions> = {
  ...CONTEXT_OPTIONS,
  commands: ['required', { '*': { file: 'optional', args: 'optional' } }],
  root: 'optional',
  timeoutMs: 'optional',
  maxBytes: 'optional',
  env: 'optional',
  maxCommands: 'optional',
}

/**
 * Runs commands that the user requests, such as `$(git status)`, and adds their output. Only allowed commands
 * and arguments run, without a shell: a line with quotes, variables, globs or other shell syntax is refused.
 * Commands are only read from the user text of this turn, not from code in it. The output of each command is
 * a context message of its own.
 */
export class ShellCommands implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #settings: ContextSettings
  readonly #rules: ReadonlyMap<string, CompiledRule>
  readonly #options: Omit<RunOptions, 'abortSignal'>
  readonly #maxCommands: number

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: ShellCommandsOptions) {
    const options = requireOptions('ShellCommands', given, SHELL_COMMANDS_OPTIONS)
    const { commands, root = '.', timeoutMs = 5_000, maxBytes = 64_000, env = {}, maxCommands = 10 } = options
    this.#settings = contextSettings(options, 'shell-commands')
    checkCommands(commands)
    if (!isRecord(env) || !Object.values(env).every((value) => typeof value === 'string')) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'env is not an object of strings. Set the variables that commands need, such as { PATH: "/usr/bin" }.',
      )
    }
    requireTime('timeoutMs', timeoutMs)
    this.#rules = new Map(Object.entries(commands).map(([name, rule]) => [name, compileRule(name, rule)]))
    this.#options = { cwd: root, env: { ...env }, timeoutMs, maxBytes: requireCount('maxBytes', maxBytes, 1) }
    this.#maxCommands = requireCount('maxCommands', maxCommands, 1)
    this.id = this.#settings.id
    this.onError = options.onError ?? 'fail'
  }

  async processInput(args: ProcessInputArgs): Promise<MessageList | undefined> {
    const turn = await turnText(args, '$(')
    const lines = turn ? [...new Set(findSubstitutions(turn.prose).map(({ line }) => line))] : []
    if (lines.length === 0) return undefined
    const context = new ContextMessages(this.#settings, args)
    for (const [index, line] of lines.entries()) {
      if (index === this.#maxCommands) {
        context.note(`More commands were left out: the limit is ${this.#maxCommands}.`)
        break
      }
      await this.#run(line, context, args.abortSignal)
    }
    return context.finish()
  }

  async #run(line: string, context: ContextMessages, abortSignal: AbortSignal): Promise<void> {
    const vector = argumentVector(line)
    if (!vector)
      return context.refuse(line, 'It was not run: it is no plain command with arguments.', 'syntax')
    const [name, ...args] = vector
    const rule = this.#rules.get(name)
    if (!rule) return context.refuse(line, 'It was not run: this command is not allowed.', 'not-allowed')
    if (!rule.allows(args))
      return context.refuse(line, 'It was not run: these arguments are not allowed.', 'not-allowed')
    if (context.isFull)
      return context.refuse(line, 'It was not run: there is no room for its output.', 'no-room')
    try {
      const result = await runCommand(rule.file, args, { ...this.#options, abortSignal })
      await context.add({
        source: vector.join(' '),
        tag: 'command-output',
        attributes: { command: vector.join(' '), exitCode: result.exitCode ?? undefined },
        text: textOf(result),
        note: this.#noteOn(result),
      })
    } catch (error) {
      abortSignal.throwIfAborted()
      const { code } = error as { code?: unknown }
      if (typeof code !== 'string' || MillraceError.isInstance(error)) throw error
      context.refuse(line, `It could not be run (${code}).`, 'failed')
    }
  }

  #noteOn({ stopped }: CommandOutput): string | undefined {
    const { timeoutMs, maxBytes } = this.#options
    if (stopped === 'time') return `The command was stopped after ${timeoutMs} ms.`
    if (stopped === 'output') return `The command was stopped after ${maxBytes} bytes of output.`
    return undefined
  }
}

/** Decodes the output, without terminal control sequences. */
function textOf({ output }: CommandOutput): string {
  if (output.includes(0)) return '[The output is no text.]'
  const text = stripVTControlCharacters(new TextDecoder().decode(output))
  return text.replace(/\r\n?/g, '\n').replace(/(?![\t\n])\p{Cc}/gu, '')
}
