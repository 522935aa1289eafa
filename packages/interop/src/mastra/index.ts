export { type MastraGuard, type MastraGuardsOptions, mastraGuards } from './mastra-guards.ts'
