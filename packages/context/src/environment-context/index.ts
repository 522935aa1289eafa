export type { ContextEvent, ContextOptions } from '../content/context-options.ts'
export {
  EnvironmentContext,
  type EnvironmentContextOptions,
  type EnvironmentField,
} from './environment-context.ts'
