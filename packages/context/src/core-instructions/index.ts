export type { ContextEvent, ContextOptions } from '../content/context-options.ts'
export {
  CoreInstructions,
  type CoreInstructionsOptions,
  type InstructionSection,
} from './core-instructions.ts'
