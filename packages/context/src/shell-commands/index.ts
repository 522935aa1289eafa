export type { ContextEvent, ContextOptions } from '../content/context-options.ts'
export type { ArgumentRule, CommandRule } from './command-rule.ts'
export { ShellCommands, type ShellCommandsOptions } from './shell-commands.ts'
