export { type FilteredCall, type ToolCallFilterOptions, ToolCallFilterProcessor } from './tool-call-filter.ts'
