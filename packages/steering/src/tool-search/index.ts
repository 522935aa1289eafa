export type { FoundTool } from './tool-index.ts'
export { ToolSearch, type ToolSearchOptions, type ToolSearchOutput } from './tool-search.ts'
