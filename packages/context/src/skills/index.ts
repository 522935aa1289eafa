export type { ContextEvent, ContextOptions } from '../content/context-options.ts'
export { Skills, type SkillsOptions } from './skills.ts'
