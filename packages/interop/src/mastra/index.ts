export { type MastraGuard, type MastraGuardsOptions, mastraGuards } from './mastra-guards.ts'
export { type MastraProcessorOptions, mastraProcessor } from './mastra-processor.ts'
