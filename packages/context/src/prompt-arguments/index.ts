export type { ContextEvent, ContextOptions } from '../content/context-options.ts'
export {
  PromptArguments,
  type PromptArgumentsOptions,
  type PromptArgumentValues,
} from './prompt-arguments.ts'
